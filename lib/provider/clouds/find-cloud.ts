import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { defined, escaped, IamTokensError, quote } from "../../tokens";
import { list } from "../configuration/wording";
import { attachedNote, type ProcessContext } from "../process/process-context";
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

/** Bytes, for hundreds of clouds; parsing a hostile file of this size takes about a second. */
const SIZE_LIMIT = 128 * 1024;

/** How many clouds a message lists. */
const LISTED_CLOUDS = 10;

/** The entry of a cloud, with its files. */
interface FoundCloud {
  readonly entry: CloudMapping;
  /** The files that were read: the clouds file and the secure file. */
  readonly files: readonly CloudsFile[];
}

/**
 * Finds a cloud in the clouds file and in the secure file, searches for each separately, and merges
 * the secure file over the clouds file.
 *
 * @param folder folder that is used as the current one
 * @throws ERR_CLOUD_NOT_FOUND, ERR_CLOUDS_FILE_INVALID
 */
export async function findCloud(
  name: string,
  folder: string,
  processContext: ProcessContext,
): Promise<FoundCloud> {
  const found = [
    await load("clouds", folder, processContext),
    await load("secure", folder, processContext),
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
  if (entry === undefined) throw notFound(name, files, clouds, folder, processContext);
  return { entry: over === undefined ? entry : merge(entry, over), files };
}

/** The first existing file, parsed. */
async function load(
  kind: "clouds" | "secure",
  folder: string,
  processContext: ProcessContext,
): Promise<{ readonly file: CloudsFile; readonly content: CloudValue | undefined } | undefined> {
  for (const candidate of searchPath(kind, processContext, folder)) {
    const text = await textOf(candidate, processContext);
    if (text === undefined) continue;
    const { path, ofProject } = candidate;
    // If the file has disappeared meanwhile, its path stands for a folder of its own.
    const file = { path, ofProject, realFolder: await realpath(path).then(dirname, () => path) };
    return { file, content: parseCloudsFile(text, file) };
  }
  return undefined;
}

async function textOf(
  candidate: Candidate,
  processContext: ProcessContext,
): Promise<string | undefined> {
  const reading = await readRegularFile(candidate.path);
  const named = candidate.variable === undefined ? "" : ` (${candidate.variable})`;
  if ("failure" in reading) {
    if (reading.failure === "missing" && named === "") return undefined;
    // openstacksdk silently continues with the next file, which may be another account.
    throw invalidFile(candidate, `it ${reading.why}${named}${attachedNote(processContext)}`);
  }
  if (reading.content.length > SIZE_LIMIT)
    throw invalidFile(candidate, "it is larger than 128 KiB");
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

/** Mappings in the entry (`auth`) are merged, anything else is replaced. */
function merge(entry: CloudMapping, over: CloudMapping): CloudMapping {
  const entries = new Map(entry.entries);
  for (const [key, value] of over.entries) {
    const below = entries.get(key);
    const both = value.kind === "mapping" && below?.kind === "mapping";
    entries.set(
      key,
      both ? { ...below, entries: new Map([...below.entries, ...value.entries]) } : value,
    );
  }
  return { ...entry, entries };
}

function notFound(
  name: string,
  files: readonly CloudsFile[],
  clouds: readonly CloudMapping[],
  folder: string,
  processContext: ProcessContext,
): IamTokensError {
  const cloud = `cloud ${quote(name)}`;
  const error = (problem: string, remedy?: string): IamTokensError =>
    new IamTokensError(
      "ERR_CLOUD_NOT_FOUND",
      `${problem}.${attachedNote(processContext)}`,
      defined({ remedy }),
    );
  if (files.length === 0) {
    const paths = searchPath("clouds", processContext, folder).map(({ path }) => path);
    const folders = new Set(paths.map((path) => escaped(dirname(path))));
    return error(
      `The ${cloud} is requested, but there is no clouds.yaml, .yml or .json in ${list([...folders], "or")}`,
    );
  }
  const where = list(files.map(({ path }) => escaped(path)));
  if (clouds.some(({ entries }) => entries.has(name)))
    return error(
      `The ${cloud} is empty in ${where}`,
      "Write its settings below its name, with more indentation.",
    );
  const names = [...new Set(clouds.flatMap(({ entries }) => [...entries.keys()]))].sort();
  const listed = names.slice(0, LISTED_CLOUDS).map((each) => quote(each));
  const more = names.length > listed.length ? [`${names.length - listed.length} more`] : [];
  const there =
    names.length === 0 ? "It has no clouds" : `Its clouds: ${list([...listed, ...more])}`;
  return error(`There is no ${cloud} in ${where}. ${there}`);
}
