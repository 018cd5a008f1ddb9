import { dirname, isAbsolute, join, resolve } from "node:path";
import { LineCounter, parseDocument, type Tags } from "yaml";
import { IamTokensError, ofProcess, quote, type Words, words } from "../../tokens";
import { type ProcessContext, variableOf } from "../process/process-context";
import { readRegularFile } from "../secrets/read-regular-file";
import { assertFilePath } from "../secrets/secret-reference";

/** A file of clouds. */
export interface CloudsFile {
  readonly path: string;
  readonly realPath: string;
  /** The entries, by the names of the clouds. */
  readonly clouds: ReadonlyMap<string, unknown>;
}

/** They name the files, instead of a search. */
const CONFIG_FILE = "OS_CLIENT_CONFIG_FILE";
const SECURE_FILE = "OS_CLIENT_SECURE_FILE";

const ENDINGS = ["yaml", "yml", "json"];

/**
 * The first clouds.yaml that exists, and the secure.yaml of its folder: one source. A secure.yaml
 * elsewhere is not read, as a cloned repository could decide where its secret is sent.
 *
 * @param folder the current folder
 * @throws ERR_CLOUDS_FILE_INVALID, ERR_CREDENTIALS_MIXED
 */
export async function loadCloudsFiles(
  folder: string,
  context: ProcessContext,
): Promise<readonly CloudsFile[]> {
  const [named, secure] = [CONFIG_FILE, SECURE_FILE].map((name) => variableOf(context, name));
  if (secure !== undefined && named === undefined)
    throw mixed(words`${ofProcess(SECURE_FILE)} is set, but not ${CONFIG_FILE}: two sources.`);
  const clouds =
    named === undefined
      ? await firstIn(foldersIn(folder, context), "clouds")
      : await fileNamed(CONFIG_FILE, named, folder);
  if (clouds === undefined) return [];
  if (secure !== undefined) return [clouds, await fileNamed(SECURE_FILE, secure, folder)];
  const beside = await firstIn([dirname(clouds.path)], "secure");
  if (beside === undefined) return [clouds];
  if (dirname(beside.realPath) === dirname(clouds.realPath)) return [clouds, beside];
  const [one, other] = [clouds, beside].map(({ realPath }) => quote(realPath, "path"));
  throw mixed(words`Links lead to ${one} and ${other}, in two folders: two sources.`);
}

const mixed = (fact: Words) =>
  new IamTokensError("ERR_CREDENTIALS_MIXED", fact, {
    remedy: `Keep both files in one folder, or name both: ${CONFIG_FILE}, ${SECURE_FILE}.`,
  });

async function firstIn(folders: readonly string[], name: string): Promise<CloudsFile | undefined> {
  for (const folder of folders)
    for (const ending of ENDINGS) {
      const file = await load(join(folder, `${name}.${ending}`));
      if (file !== undefined) return file;
    }
  return undefined;
}

async function fileNamed(variable: string, path: string, folder: string): Promise<CloudsFile> {
  assertFilePath(ofProcess(variable), path);
  const file = resolve(folder, path);
  const found = await load(file);
  if (found === undefined) throw invalidFile(file, `it does not exist (${variable})`);
  return found;
}

/** Bytes, for hundreds of clouds. */
const SIZE_LIMIT = 128 * 1024;

/** A file; undefined if it does not exist. */
async function load(path: string): Promise<CloudsFile | undefined> {
  const reading = await readRegularFile(path, { limit: SIZE_LIMIT });
  if ("content" in reading)
    return { path, realPath: reading.path, clouds: cloudsIn(reading.content, path) };
  if (reading.failure === "missing") return undefined;
  // openstacksdk silently continues with the next file, which may be another account.
  throw invalidFile(path, `it ${reading.why}`);
}

/** Not in quotes; what templates write for a value that they do not have. */
const NULL = {
  tag: "tag:yaml.org,2002:null",
  default: true,
  test: /^(?:~|null|Null|NULL)?$/,
  resolve: () => null,
} as const;

const NOT_YAML = "it is not YAML or JSON, nests too deeply, or has a tag (!… without quotes)";

/**
 * The entries of a file. Each scalar but null is the string that is written, whatever a YAML
 * version makes of it. A tag such as Ansible's `!vault` is refused: its value is not the secret.
 */
function cloudsIn(content: Buffer, path: string): CloudsFile["clouds"] {
  const lineCounter = new LineCounter();
  const customTags = (tags: Tags): Tags => [...tags, NULL];
  const options = { schema: "failsafe", merge: true, uniqueKeys: false, stringKeys: true } as const;
  const quiet = { logLevel: "error", prettyErrors: false, lineCounter } as const;
  let whole: unknown;
  let line: number | undefined;
  try {
    const document = parseDocument(content.toString(), { ...options, ...quiet, customTags });
    const [mistake] = [...document.errors, ...document.warnings];
    if (mistake === undefined) whole = document.toJS({ mapAsMap: true });
    else line = lineCounter.linePos(mistake.pos[0]).line;
  } catch {
    // Too deep. No message of the parser is repeated: it quotes the file.
    line = 1;
  }
  if (line !== undefined) throw invalidFile(path, NOT_YAML, line);
  const clouds = (whole instanceof Map ? whole.get("clouds") : whole) ?? new Map();
  if (!(clouds instanceof Map)) throw invalidFile(path, "its clouds are not a mapping");
  return clouds;
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
    words`${ofProcess(`The file ${quote(path, "path")}`)}${where}: ${problem}.`,
  );
}
