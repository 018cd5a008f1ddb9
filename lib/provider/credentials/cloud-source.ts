import { resolve } from "node:path";
import { IamTokensError, ofProcess, quote, Secret, type Text, words } from "../../tokens";
import { PARTS, PROJECT } from "../../tokens/ways";
import type { ProcessContext } from "../process/process-context";
import { list } from "../wording";
import { type CloudsFile, foldersIn, homeOf, loadCloudsFiles } from "./clouds-file";
import { REFUSED, type Setting, sourceOf } from "./openstack-settings";
import { originOf, type Source } from "./source";
import type { SelectedCloud } from "./which-counts";

/** The settings that are used or refused: others below `auth` are mistakes. */
const KNOWN = new Set([
  ...[...PARTS, PROJECT.id, PROJECT.name].flatMap(({ keys }) => keys),
  ...Object.keys(REFUSED),
]);

/**
 * What may be the key of a secret within another value or a name, as where a line break or a blank
 * is missing: `username: deployer password:…`. Not in the host of an address, where a port follows.
 */
const SECRET_INSIDE =
  /(?<!:\/\/[\w.-]{0,253})(?:pass|pwd|secret|token)[\w-]{0,40}["']?\s{0,99}[:=\uff1a\uff1d\ufe55\ufe13]/i;

/**
 * What an entry of clouds.yaml gives, with that of secure.yaml over it.
 *
 * @throws ERR_CLOUD_NOT_FOUND, ERR_CLOUDS_FILE_INVALID, ERR_CREDENTIALS_UNSUPPORTED,
 * ERR_CREDENTIALS_MIXED
 * @param folder the one that is used as the current one
 */
export async function cloudSource(
  { cloud: name, givenBy }: SelectedCloud,
  folder: string,
  context: ProcessContext,
): Promise<Source> {
  const files = await loadCloudsFiles(folder, context);
  if (!files.some(({ clouds }) => clouds.has(name))) throw notFound(name, folder, files, context);
  const selected = givenBy === "cloud" ? "" : ", selected by OS_CLOUD";
  const title = ofProcess(`the cloud ${quote(name)} (${placesOf(files)}${selected})`);
  const cloud = { kind: "keys", title, givenBy } as const;
  const invalid = (problem: string) =>
    new IamTokensError("ERR_CLOUDS_FILE_INVALID", words`In ${title}, ${problem}.`);
  const entries = files.map(({ clouds }) => clouds.get(name) ?? new Map());
  const entry = merged(entries, invalid);
  const auths = entries.map((each) => (each as typeof entry).get("auth") ?? new Map());
  const auth = merged(auths, invalid);
  const source = sourceOf(
    cloud,
    [...settingsIn(auth, invalid), ...settingsIn(entry, invalid)],
    ({ key, value }) => ({ kind: "value", place: Secret.of(value), origin: originOf(cloud, key) }),
    (path) => resolve(folder, path.replace(/^~(?=[\\/])/, homeOf(context) ?? "~")),
  );
  // After the judgement of auth_type, as other types have other keys.
  for (const [key, value] of auth) {
    // An unknown key may be a secret, such as `password:…`.
    if (!KNOWN.has(key))
      throw invalid("auth has a key that is not a setting; after a colon, a blank is required");
    if (typeof value !== "string" && value !== null)
      throw invalid(`${key} in auth is not a string`);
  }
  return source;
}

type Invalid = (problem: string) => IamTokensError;

/** Mappings as one: what is given in a later one counts. `-` in a key is the same as `_`. */
function merged(mappings: readonly unknown[], invalid: Invalid): ReadonlyMap<string, unknown> {
  const all = new Map<string, unknown>();
  for (const mapping of mappings) {
    if (!(mapping instanceof Map)) throw invalid("its entry or its auth is not a mapping");
    for (const [written, value] of mapping) {
      const key = String(written).replaceAll("-", "_");
      if (value !== null || !all.has(key)) all.set(key, value);
    }
  }
  return all;
}

/** The settings in a mapping. */
function settingsIn(texts: ReadonlyMap<string, unknown>, invalid: Invalid): readonly Setting[] {
  return [...texts].flatMap(([key, value]) => {
    if (typeof value !== "string" || value === "") return [];
    const text = () => {
      if (!SECRET_INSIDE.test(value)) return value;
      throw invalid(`${key} has another setting's key in it: each setting needs its own line`);
    };
    return [{ key, name: key, text, value }];
  });
}

function notFound(
  name: string,
  folder: string,
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
    ofProcess(
      files.length === 0
        ? `The cloud ${quote(name)} is requested, but there is no clouds.yaml, .yml or .json in ${list(
            foldersIn(folder, context).map((path) => quote(path, "path")),
            "or",
          )}.`
        : `There is no cloud ${quote(name)} in ${placesOf(files)}.`,
    ),
    files.length === 0 ? {} : { more: `Its clouds: ${some.join(", ") || "none"}.` },
  );
}

function placesOf(files: readonly CloudsFile[]): Text {
  return list(files.map(({ path }) => quote(path, "path")));
}
