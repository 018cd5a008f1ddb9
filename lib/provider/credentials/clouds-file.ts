import { isAbsolute, join, resolve } from "node:path";
import { isScalar, LineCounter, parseDocument, type Tags, visit, type YAMLError } from "yaml";
import { escaped, IamTokensError, ofProcess, words } from "../../tokens";
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
    return { path, realPath: reading.path, ...cloudsIn(reading.content.toString(), path, top) };
  }
  return undefined;
}

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
 * The entries of a file. Each scalar but null is the text that is written, whatever a YAML version
 * makes of it.
 */
function cloudsIn(text: string, path: string, top: string): Pick<CloudsFile, "clouds" | "lineOf"> {
  const lineCounter = new LineCounter();
  const lineAt = (offset: number | undefined) =>
    offset === undefined ? undefined : lineCounter.linePos(offset).line;
  const customTags = (tags: Tags): Tags => [...tags, NULL];
  const options = { schema: "failsafe", merge: true, uniqueKeys: false, stringKeys: true } as const;
  const quiet = { logLevel: "error", prettyErrors: false, lineCounter } as const;
  let lineOf: CloudsFile["lineOf"];
  let content: unknown;
  try {
    const document = parseDocument(text, { ...options, ...quiet, customTags });
    for (const error of document.errors) throw error;
    content = document.toJS({ mapAsMap: true });
    lineOf = (wanted) => {
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
  } catch (error) {
    // Its message quotes the file.
    const [at] = (error as Partial<YAMLError>).pos ?? [];
    throw invalidFile(path, "it is not YAML or JSON, or nests too deeply", lineAt(at));
  }
  const clouds = content instanceof Map ? content.get(top) : content;
  if (clouds instanceof Map) return { clouds, lineOf };
  if (clouds !== undefined && clouds !== null)
    throw invalidFile(path, "its clouds are not a mapping");
  return { clouds: new Map(), lineOf };
}

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
    words`${ofProcess(`The file ${escaped(path)}`)}${where}: ${problem}.`,
  );
}
