import { isAbsolute, join, resolve } from "node:path";
import { isScalar, LineCounter, parseDocument, type Tags, visit } from "yaml";
import { IamTokensError, ofProcess, quote, words } from "../../tokens";
import { type ProcessContext, variableOf } from "../process/process-context";
import { readRegularFile } from "../secrets/read-regular-file";
import { assertFilePath } from "../secrets/secret-reference";
import type { FoundFile } from "./of-project";

/** A file of clouds, as openstacksdk finds it. */
export interface CloudsFile extends FoundFile {
  /** The entries, by the names of the clouds. */
  readonly clouds: ReadonlyMap<string, unknown>;
  /** The first line with this key. */
  readonly lineOf: (key: string) => number | undefined;
}

/** The files: their names, the key above their entries, and the variable that names another one. */
const KINDS = {
  clouds: { top: "clouds", variable: "OS_CLIENT_CONFIG_FILE" },
  secure: { top: "clouds", variable: "OS_CLIENT_SECURE_FILE" },
  "clouds-public": { top: "public-clouds", variable: undefined },
} as const;

const ENDINGS = ["yaml", "yml", "json"];

/**
 * The first existing file; one that a variable names must exist.
 *
 * @param folder the current folder
 * @throws ERR_CLOUDS_FILE_INVALID
 */
export async function loadCloudsFile(
  kind: keyof typeof KINDS,
  folder: string,
  context: ProcessContext,
): Promise<CloudsFile | undefined> {
  const { top, variable } = KINDS[kind];
  const named = variable && variableOf(context, variable);
  if (variable && named) assertFilePath(ofProcess(variable), named);
  const paths =
    named === undefined
      ? foldersIn(folder, context).flatMap((each) =>
          ENDINGS.map((ending) => join(each, `${kind}.${ending}`)),
        )
      : [resolve(folder, named)];
  for (const path of paths) {
    const reading = await readRegularFile(path, { limit: SIZE_LIMIT });
    const by = named === undefined ? "" : ` (${variable})`;
    if ("failure" in reading) {
      if (reading.failure === "missing" && named === undefined) continue;
      // openstacksdk silently continues with the next file, which may be another account.
      throw invalidFile(path, `it ${reading.why}${by}`);
    }
    const { content } = reading;
    const before = parsed.get(kind);
    const found = before?.content.equals(content)
      ? before
      : { content, ...cloudsIn(content, path, top) };
    parsed.set(kind, found);
    const { clouds, lineOf } = found;
    return { path, realPath: reading.path, clouds, lineOf };
  }
  return undefined;
}

/** The last of each kind: a hundred tokens read the same files, but parse them once. */
const parsed = new Map<string, { readonly content: Buffer } & Parsed>();
type Parsed = Pick<CloudsFile, "clouds" | "lineOf">;

/** Bytes, for hundreds of clouds. */
const SIZE_LIMIT = 128 * 1024;

/** Not in quotes; what templates write for a value that they do not have. */
const NULL = {
  tag: "tag:yaml.org,2002:null",
  default: true,
  test: /^(?:~|null|Null|NULL)?$/,
  resolve: () => null,
} as const;

/**
 * The entries of a file. Each scalar but null is the string that is written, whatever a YAML
 * version makes of it.
 */
function cloudsIn(content: Buffer, path: string, top: string): Parsed {
  // PowerShell writes it.
  if (/^(?:\xff\xfe|\xfe\xff|.?\0)/s.test(content.toString("latin1", 0, 2)))
    throw invalidFile(path, "it is UTF-16 text: store it as UTF-8");
  const text = content.toString();
  const lineCounter = new LineCounter();
  const lineAt = (offset = 0) => lineCounter.linePos(offset).line;
  const customTags = (tags: Tags): Tags => [...tags, NULL];
  const options = { schema: "failsafe", merge: true, uniqueKeys: false, stringKeys: true } as const;
  const quiet = { logLevel: "error", prettyErrors: false, lineCounter } as const;
  // The parser throws only if the file nests too deeply.
  const attempt = <T>(get: () => T): T => {
    try {
      return get();
    } catch {
      throw invalidFile(path, notYaml(text));
    }
  };
  const document = attempt(() => parseDocument(text, { ...options, ...quiet, customTags }));
  const { errors, warnings } = document;
  // Its message quotes the file.
  const [error] = errors;
  if (error !== undefined) throw invalidFile(path, notYaml(text), lineAt(error.pos[0]));
  const tag = warnings.find(
    ({ code, message }) => code === "TAG_RESOLVE_FAILED" && !PLAIN.test(message),
  );
  if (tag !== undefined) throw invalidFile(path, UNKNOWN_TAG, lineAt(tag.pos[0]));
  const whole: unknown = attempt(() => document.toJS({ mapAsMap: true }));
  const clouds = (whole instanceof Map ? whole.get(top) : whole) ?? new Map();
  if (!(clouds instanceof Map)) throw invalidFile(path, "its clouds are not a mapping");
  const lineOf = (wanted: string) => {
    let line: number | undefined;
    visit(document, {
      Pair(_, { key }) {
        if (!isScalar(key) || key.value !== wanted) return undefined;
        line = lineAt(key.range?.[0]);
        return visit.BREAK;
      },
    });
    return line;
  };
  return { clouds, lineOf };
}

/** Tags of YAML's own scalars, whose text is taken. */
const PLAIN = /:yaml\.org,2002:(?:int|float|bool|null)$/;

/** The tag is not repeated: it may be a password that begins with `!`. */
const UNKNOWN_TAG =
  "a value has a tag (!… without quotes) that is not YAML's own, such as !vault of Ansible or !ENV: let the program that knows it write the file; or put a value that begins with ! in quotes";

const notYaml = (text: string) =>
  /^\[\w+\]\r?$/m.test(text)
    ? "it is an INI file, such as cloud.conf of Kubernetes, not YAML or JSON"
    : "it is not YAML or JSON, or nests too deeply";

/** Where openstacksdk looks for the files, in its order. */
export function foldersIn(folder: string, context: ProcessContext): readonly string[] {
  const home = homeOf(context);
  const base = variableOf(context, isWindows() ? "LOCALAPPDATA" : "XDG_CONFIG_HOME") ?? "";
  return [
    folder,
    ...(isAbsolute(base) ? [join(base, isWindows() ? "OpenStack" : "", "openstack")] : []),
    ...(home === undefined ? [] : [resolve(folder, home, ".config", "openstack")]),
    // On Windows, any user may create it on the current drive.
    ...(isWindows() ? [] : ["/etc/openstack"]),
  ];
}

const isWindows = () => process.platform === "win32";

/** The folder that `~` means. */
export function homeOf(context: ProcessContext): string | undefined {
  return variableOf(context, isWindows() ? "USERPROFILE" : "HOME");
}

/** The error never quotes the file's values: one may be the password. */
export function invalidFile(path: string, problem: string, line?: number): IamTokensError {
  const where = line === undefined ? "" : `, line ${line}`;
  return new IamTokensError(
    "ERR_CLOUDS_FILE_INVALID",
    words`${ofProcess(`The file ${quote(path, "path")}`)}${where}: ${problem}.`,
  );
}
