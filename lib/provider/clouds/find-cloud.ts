import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { defined, IamTokensError, quote } from "../../tokens";
import { list } from "../configuration/wording";
import { attachedNote, type Surroundings } from "../process/surroundings";
import { readRegularFile } from "../secrets/read-regular-file";
import {
  type CloudMapping,
  type CloudsFile,
  type CloudValue,
  invalidFile,
  isNull,
  mappingOf,
} from "./cloud-value";
import { parseCloudsFile } from "./parse-clouds-file";
import { type Candidate, searchPath } from "./search-path";

/** Bytes, far above any real file; parsing a hostile one of this size takes about a second. */
const SIZE_LIMIT = 256 * 1024;

/** How many clouds a message lists. */
const SHOWN_CLOUDS = 10;

/** The entry of a cloud, and where it comes from. */
interface FoundCloud {
  readonly entry: CloudMapping;
  /** The files that were read: the clouds file, the secure file. */
  readonly files: readonly CloudsFile[];
}

/**
 * Finds a cloud in the clouds file and in the secure file, which are looked for each by itself, and
 * lays what the secure file says over what the other says.
 *
 * @param folder what counts as the current folder
 * @throws ERR_CLOUD_NOT_FOUND, ERR_CLOUDS_FILE_INVALID
 */
export async function findCloud(
  name: string,
  folder: string,
  surroundings: Surroundings,
): Promise<FoundCloud> {
  const found = [
    await load("clouds", folder, surroundings),
    await load("secure", folder, surroundings),
  ].filter((each) => each !== undefined);
  const files = found.map(({ file }) => file);
  const clouds = found.flatMap(({ file, content }) => cloudsOf(file, content));
  const entries = clouds.flatMap(({ entries: all }) => {
    const value = all.get(name);
    return value === undefined || isNull(value)
      ? []
      : [mappingOf(value, `the cloud ${quote(name)}`)];
  });
  const [entry, over] = entries;
  if (entry === undefined) throw notFound(name, files, clouds, folder, surroundings);
  return { entry: over === undefined ? entry : mergeMappings(entry, over), files };
}

/** The first file that is there, parsed. */
async function load(
  kind: "clouds" | "secure",
  folder: string,
  surroundings: Surroundings,
): Promise<{ readonly file: CloudsFile; readonly content: CloudValue | undefined } | undefined> {
  for (const candidate of searchPath(kind, surroundings, folder)) {
    const text = await textOf(candidate, surroundings);
    if (text === undefined) continue;
    const { path, ofProject } = candidate;
    // A file that is gone by now is in a folder with no other one.
    const file = { path, ofProject, realFolder: await realpath(path).then(dirname, () => path) };
    return { file, content: parseCloudsFile(text, file) };
  }
  return undefined;
}

async function textOf(
  candidate: Candidate,
  surroundings: Surroundings,
): Promise<string | undefined> {
  const reading = await readRegularFile(candidate.path);
  const named = candidate.variable === undefined ? "" : ` (${candidate.variable})`;
  if ("failure" in reading) {
    if (reading.failure === "missing" && named === "") return undefined;
    // openstacksdk silently goes on to the next file, which is another account, perhaps.
    throw invalidFile(candidate, `it ${reading.why}${named}${attachedNote(surroundings)}`);
  }
  if (reading.content.length > SIZE_LIMIT)
    throw invalidFile(candidate, "it is larger than 256 KiB");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(reading.content);
  } catch {
    throw invalidFile(candidate, "it is not UTF-8 text");
  }
}

function cloudsOf(file: CloudsFile, content: CloudValue | undefined): readonly CloudMapping[] {
  if (content === undefined || isNull(content)) return [];
  if (content.kind !== "mapping")
    throw invalidFile(file, "it is not a mapping with the key clouds");
  const clouds = content.entries.get("clouds");
  return clouds === undefined || isNull(clouds) ? [] : [mappingOf(clouds, "clouds")];
}

/** Mappings are merged, anything else is replaced. */
function mergeMappings(under: CloudMapping, over: CloudMapping): CloudMapping {
  const entries = new Map(under.entries);
  for (const [key, value] of over.entries) {
    const below = entries.get(key);
    if (value.kind !== "mapping" || below === undefined) entries.set(key, value);
    else {
      const into = mappingOf(below, `what ${quote(key)} is merged into`);
      entries.set(key, mergeMappings(into, value));
    }
  }
  return { ...under, entries };
}

function notFound(
  name: string,
  files: readonly CloudsFile[],
  clouds: readonly CloudMapping[],
  folder: string,
  surroundings: Surroundings,
): IamTokensError {
  const cloud = `cloud ${quote(name)}`;
  const error = (problem: string, remedy?: string): IamTokensError =>
    new IamTokensError(
      "ERR_CLOUD_NOT_FOUND",
      `${problem}.${attachedNote(surroundings)}`,
      defined({ remedy }),
    );
  if (files.length === 0) {
    const paths = searchPath("clouds", surroundings, folder).map(({ path }) => path);
    const folders = new Set(paths.map((path) => JSON.stringify(dirname(path))));
    return error(
      `The ${cloud} is asked for, and there is no clouds.yaml, .yml or .json in ${list([...folders], "or")}`,
    );
  }
  const where = list(files.map(({ path }) => JSON.stringify(path)));
  if (clouds.some(({ otherKeys }) => otherKeys.has(name)))
    return error(
      `The name of the ${cloud} is no text in ${where}`,
      "Write the name in quotes there.",
    );
  if (clouds.some(({ entries }) => entries.has(name)))
    return error(
      `The ${cloud} has nothing in it in ${where}`,
      "Write its settings below its name, indented further than the name.",
    );
  const names = [...new Set(clouds.flatMap(({ entries }) => [...entries.keys()]))].sort();
  const shown = names.slice(0, SHOWN_CLOUDS).map((each) => quote(each));
  const more = names.length > shown.length ? [`${names.length - shown.length} more`] : [];
  const there =
    names.length === 0
      ? "There are no clouds in it"
      : `Clouds that are there: ${list([...shown, ...more])}`;
  return error(`There is no ${cloud} in ${where}. ${there}`);
}
