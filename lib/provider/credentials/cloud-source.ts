import { dirname, isAbsolute, join, resolve } from "node:path";
import { isScalar, LineCounter, parseDocument, visit, type YAMLError } from "yaml";
import { defined, escaped, IamTokensError, quote, Secret } from "../../tokens";
import { isSecretArgument } from "../../tokens/ways";
import { ALLOWED_AUTH_URLS } from "../process/allow-list";
import { type ProcessContext, variableOf } from "../process/process-context";
import { readRegularFile } from "../secrets/read-regular-file";
import { assertFilePath } from "../secrets/secret-reference";
import { list } from "../wording";
import { assertSupported, ELSEWHERE, INSTEAD, waysOfType } from "./environment-source";
import { type FoundFile, isOfProject } from "./of-project";
import { filesBy, givenBy, originOf, projectBy, type Source } from "./source";

/** The requested cloud. */
export interface CloudRequest {
  readonly name: string;
  /** Who names it: the provider block (`cloud`), or OS_CLOUD (`environment`). */
  readonly source: "cloud" | "environment";
  /** The folder that is used as the current one. */
  readonly folder: string;
}

interface CloudsFile extends FoundFile {
  /** The entries, by the names of the clouds. */
  readonly clouds: ReadonlyMap<string, unknown>;
  /** The first line with this key. */
  readonly lineOf: (key: string) => number | undefined;
}

/** A setting of a cloud, and the file that gives it. */
interface Setting {
  readonly text: string;
  readonly file: CloudsFile;
  /** The key as it is written, with `-` or `_`. */
  readonly key: string;
}

/** Settings that select something, which the provider would have to obey. */
const KNOWN = new Set([
  ...givenBy("keys", () => null).map(({ name }) => name),
  ...Object.keys({ ...INSTEAD, ...ELSEWHERE }),
  "project_name",
  "project_id",
  "tenant_name",
  "tenant_id",
]);

/**
 * The key of a secret within another value or a name, as where a line break or a blank is missing:
 * `username: deployer password:…`.
 */
const SECRET_INSIDE = new RegExp(
  `(?:${[...KNOWN].filter((key) => /password|secret|token|passcode/.test(key)).join("|")})["']?\\s*[:=]`.replaceAll(
    "_",
    "[-_]",
  ),
  "i",
);

/**
 * What an entry of clouds.yaml gives, with the entry of secure.yaml over it.
 *
 * @throws ERR_CLOUD_NOT_FOUND, ERR_CLOUDS_FILE_INVALID, ERR_CREDENTIALS_UNSUPPORTED,
 * ERR_CREDENTIALS_MIXED
 */
export async function cloudSource(request: CloudRequest, context: ProcessContext): Promise<Source> {
  const { name, folder, source } = request;
  const files = [
    await load("clouds", request, context),
    await load("secure", request, context),
  ].filter((file) => file !== undefined);
  const settings = new Map(files.flatMap((file) => settingsIn(file, name)));
  if (!files.some(({ clouds }) => clouds.has(name))) throw notFound(request, files, context);

  const selected = source === "cloud" ? "" : ", selected by OS_CLOUD";
  const title = `the cloud ${quote(name)} (${placesOf(files)}${selected})`;
  const cloud = { kind: "keys", title } as const;
  // The dashboard writes an id, and the name of the same thing.
  const read = (key: string) =>
    settings.has(INSTEAD[key] ?? "") ? undefined : settings.get(key)?.text;
  /** A value that messages repeat. */
  const shown = (key: string): string | undefined => {
    const setting = settings.get(key);
    if (setting === undefined || !SECRET_INSIDE.test(setting.text)) return setting?.text;
    const problem = `${setting.key} of the cloud ${quote(name)} has a secret's key in its value: each setting needs its own line`;
    throw invalidFile(setting.file.path, problem, setting.file.lineOf(setting.key));
  };
  const remedy = "Change the named settings, or add another entry for this provider.";
  assertSupported(read, (key) => key, `In ${title}: `, remedy);
  const address = settings.get("auth_url");
  return {
    ...cloud,
    source,
    given: givenBy("keys", (key, argument) => {
      const setting = settings.get(key);
      if (setting === undefined || !isSecretArgument(argument)) return shown(key);
      if (address !== undefined)
        assertTogether(title, address.file, setting.file, request, context);
      return { kind: "value", value: Secret.of(setting.text), origin: originOf(cloud, key) };
    }),
    files: filesBy(cloud, (key) => {
      const path = shown(key)?.replace(/^~(?=[\\/])/, homeOf(context) ?? "~");
      return path === undefined ? undefined : resolve(folder, path);
    }),
    ways: waysOfType(settings.get("auth_type")?.text),
    ...defined({
      // Not the file itself, which has secrets.
      addressFile: address && { path: address.file.path, realPath: address.file.realPath },
      project: projectBy(cloud, shown),
    }),
  };
}

/**
 * The settings of a cloud: those of `auth`, and those next to it, of which those of `auth` win. `-`
 * in a key is the same as `_`, and an empty one counts as missing.
 */
function settingsIn(file: CloudsFile, name: string): readonly (readonly [string, Setting])[] {
  const entry = file.clouds.get(name) ?? new Map();
  const auth = entry instanceof Map ? entry.get("auth") || new Map() : undefined;
  if (!(entry instanceof Map && auth instanceof Map))
    throw invalidFile(file.path, `the cloud ${quote(name)}, or its auth, is not a mapping`);
  for (const [key, value] of auth) {
    const isSetting = KNOWN.has(withUnderscores(key));
    if (isSetting && typeof value === "string") continue;
    // An unknown key may be a secret: `password:…`, without a blank.
    const problem = isSetting
      ? `${key} below auth of the cloud ${quote(name)} is not a string`
      : `auth of the cloud ${quote(name)} has a key that is not a setting; after a colon, a blank is required`;
    throw invalidFile(file.path, problem, file.lineOf(key));
  }
  return [...entry, ...auth].flatMap(([key, text]) =>
    typeof text === "string" && text !== "" ? [[withUnderscores(key), { text, file, key }]] : [],
  );
}

function withUnderscores(key: string): string {
  return key.replaceAll("-", "_");
}

const VARIABLES = { clouds: "OS_CLIENT_CONFIG_FILE", secure: "OS_CLIENT_SECURE_FILE" };
const ENDINGS = ["yaml", "yml", "json"];

/** The first existing file; one that a variable names must exist. */
async function load(
  kind: "clouds" | "secure",
  { folder }: CloudRequest,
  context: ProcessContext,
): Promise<CloudsFile | undefined> {
  const named = variableOf(context, VARIABLES[kind]);
  if (named !== undefined) assertFilePath(VARIABLES[kind], named);
  const paths =
    named === undefined
      ? foldersIn(folder, context).flatMap((each) =>
          ENDINGS.map((ending) => join(each, `${kind}.${ending}`)),
        )
      : [resolve(folder, named)];
  for (const path of paths) {
    const reading = await readRegularFile(path);
    const by = named === undefined ? "" : ` (${VARIABLES[kind]})`;
    if ("failure" in reading) {
      if (reading.failure === "missing" && named === undefined) continue;
      // openstacksdk silently continues with the next file, which may be another account.
      throw invalidFile(path, `it ${reading.why}${by}`);
    }
    if (reading.content.length > SIZE_LIMIT) throw invalidFile(path, "it is larger than 128 KiB");
    return {
      path,
      realPath: reading.path,
      ...cloudsIn(reading.content.toString(), path),
    };
  }
  return undefined;
}

/** Bytes, for hundreds of clouds. */
const SIZE_LIMIT = 128 * 1024;

/**
 * The entries of a file. Each scalar is the text that is written, whatever a YAML version makes of
 * it.
 */
function cloudsIn(text: string, path: string): Pick<CloudsFile, "clouds" | "lineOf"> {
  const lineCounter = new LineCounter();
  const lineAt = (offset: number | undefined) =>
    offset === undefined ? undefined : lineCounter.linePos(offset).line;
  const options = { schema: "failsafe", merge: true, uniqueKeys: false, stringKeys: true } as const;
  const quiet = { logLevel: "error", prettyErrors: false, lineCounter } as const;
  let lineOf: CloudsFile["lineOf"];
  let content: unknown;
  try {
    const document = parseDocument(text, { ...options, ...quiet });
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
  const clouds = content instanceof Map ? (content.get("clouds") ?? "") : content;
  if (clouds instanceof Map) return { clouds, lineOf };
  if (clouds !== null && clouds !== "") throw invalidFile(path, "its clouds are not a mapping");
  return { clouds: new Map(), lineOf };
}

/** Where openstacksdk looks for the files, in its order. */
function foldersIn(folder: string, context: ProcessContext): readonly string[] {
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

function homeOf(context: ProcessContext): string | undefined {
  return variableOf(context, isWindows() ? "USERPROFILE" : "HOME");
}

/**
 * Refuses an address that came with the project together with a secret that did not: a cloned
 * repository would decide where the user's secret is sent. If IAM_TOKENS_ALLOWED_AUTH_URLS is set,
 * it decides.
 */
function assertTogether(
  title: string,
  address: CloudsFile,
  secret: CloudsFile,
  { folder }: CloudRequest,
  { variables }: ProcessContext,
): void {
  const isTogether = dirname(address.realPath) === dirname(secret.realPath);
  if (isTogether || variables[ALLOWED_AUTH_URLS] !== undefined) return;
  if (!isOfProject(address, folder)) return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `The address of ${title} comes from ${escaped(address.path)}, a file in the project, but the secret comes from ${escaped(secret.path)}: two sources.`,
    {
      remedy: `Write auth_url into the secret's file, keep both files in one folder, or list the address in ${ALLOWED_AUTH_URLS}.`,
    },
  );
}

function notFound(
  { name, folder }: CloudRequest,
  files: readonly CloudsFile[],
  context: ProcessContext,
): IamTokensError {
  // Others may be a setting with a secret in it, at the wrong depth.
  const names = files.flatMap(({ clouds }) =>
    [...clouds].flatMap(([key, entry]) =>
      entry instanceof Map && !SECRET_INSIDE.test(key) ? [key] : [],
    ),
  );
  const some = names.slice(0, 20).map((each) => quote(each));
  return new IamTokensError(
    "ERR_CLOUD_NOT_FOUND",
    files.length === 0
      ? `The cloud ${quote(name)} is requested, but there is no clouds.yaml, .yml or .json in ${list(foldersIn(folder, context).map(escaped), "or")}.`
      : `There is no cloud ${quote(name)} in ${placesOf(files)}. Its clouds: ${some.join(", ") || "none"}.`,
  );
}

function placesOf(files: readonly CloudsFile[]): string {
  return list(files.map(({ path }) => escaped(path)));
}

/** The error never quotes the file's values: one may be the password. */
function invalidFile(path: string, problem: string, line?: number): IamTokensError {
  const where = line === undefined ? "" : `, line ${line}`;
  return new IamTokensError(
    "ERR_CLOUDS_FILE_INVALID",
    `The file ${escaped(path)}${where}: ${problem}.`,
  );
}
