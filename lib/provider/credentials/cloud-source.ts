import { dirname, resolve } from "node:path";
import { defined, IamTokensError, ofProcess, quote, Secret, type Text, words } from "../../tokens";
import { PARTS, PROJECT } from "../../tokens/ways";
import { ALLOWED_AUTH_URLS } from "../process/allow-list";
import { isInMountedSecret } from "../process/own-folder";
import type { ProcessContext } from "../process/process-context";
import { list } from "../wording";
import { type CloudsFile, foldersIn, homeOf, invalidFile, loadCloudsFile } from "./clouds-file";
import { isOfProject } from "./of-project";
import { REFUSED, sourceOf } from "./openstack-settings";
import { originOf, type Source } from "./source";
import { findIn, type Setting } from "./which-counts";

/** The requested cloud. */
export interface CloudRequest {
  readonly name: string;
  /** Who names it: the provider block (`cloud`), or OS_CLOUD (`environment`). */
  readonly source: "cloud" | "environment";
  /** The folder that is used as the current one. */
  readonly folder: string;
}

/** A setting of a cloud, and the file that gives it. */
interface CloudSetting extends Setting {
  readonly value: string;
  readonly file: CloudsFile;
}

/** An entry of a file, or a part of one that has the same form. */
interface Layer {
  readonly file: CloudsFile;
  readonly entry: ReadonlyMap<string, unknown>;
}

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
 * The same for a key that is no secret's. Only where it cannot be a part of a name: what follows is
 * no name of a user or a project.
 */
const SETTING_INSIDE = new RegExp(
  `\\s(?:${[...KNOWN, "cacert", "cert", "key", "verify"].join("|")})\\s{0,99}[:=]`,
  "i",
);

/** In an address, it stands for the name of the region. */
const REGION = "{region_name}";

/**
 * What an entry of clouds.yaml gives, with its profile of clouds-public.yaml below it, and with the
 * entry of secure.yaml and the values of its first region over it.
 *
 * @throws ERR_CLOUD_NOT_FOUND, ERR_CLOUDS_FILE_INVALID, ERR_CREDENTIALS_UNSUPPORTED,
 * ERR_CREDENTIALS_MIXED
 */
export async function cloudSource(request: CloudRequest, context: ProcessContext): Promise<Source> {
  const { name, folder, source } = request;
  const files = [
    await loadCloudsFile("clouds", folder, context),
    await loadCloudsFile("secure", folder, context),
  ].filter((file) => file !== undefined);
  const entries = files.flatMap((file) => layersOf(file, name, `the cloud ${quote(name)}`));
  if (!files.some(({ clouds }) => clouds.has(name))) throw notFound(request, files, context);

  const own = findIn(entries.flatMap((layer) => settingsOf(layer, name)));
  const profile = own("profile", "cloud");
  const profiles = await profileIn(profile, folder, context);
  const all = [...profiles, ...entries];
  const region = regionIn(all);
  const settings = [...all, ...region.layers].flatMap((layer) =>
    settingsOf(layer, name, region.name),
  );
  const selected = source === "cloud" ? "" : ", selected by OS_CLOUD";
  const title = ofProcess(`the cloud ${quote(name)} (${placesOf(files)}${selected})`);
  const cloud = { kind: "keys", title, source } as const;
  const address = findIn(settings)("auth_url");
  const isByRegion = address?.value.includes(REGION) === true;
  const addressFiles = [address?.file, isByRegion ? region.file : undefined];
  return {
    ...sourceOf(
      cloud,
      settings,
      ({ name: key, value, file: own }) => {
        for (const file of addressFiles)
          if (file !== undefined) assertTogether(title, file, own, request, context);
        return { kind: "value", value: Secret.of(value), origin: originOf(cloud, key) };
      },
      (path) => resolve(folder, path.replace(/^~(?=[\\/])/, homeOf(context) ?? "~")),
    ),
    ...defined({
      // Not the file itself, which has secrets.
      addressFile: address && { path: address.file.path, realPath: address.file.realPath },
      addressHint: profile && profiles.length === 0 ? hintOf(profile.text()) : undefined,
    }),
  };
}

/** The entry of that name in a file, if it has one. */
function layersOf(file: CloudsFile, name: string, what: string): readonly Layer[] {
  const entry = file.clouds.get(name) ?? new Map();
  const auth = entry instanceof Map ? (entry.get("auth") ?? new Map()) : undefined;
  if (!(entry instanceof Map && auth instanceof Map))
    throw invalidFile(file.path, `${what}, or its auth, is not a mapping`);
  return [{ file, entry }];
}

/**
 * The settings of a layer. `-` in a key is the same as `_`.
 *
 * @param region the name that stands for {@link REGION} in an address
 */
function settingsOf(
  { file, entry }: Layer,
  cloud: string,
  region: string = REGION,
): readonly CloudSetting[] {
  const given = entry.get("auth");
  const auth: Layer["entry"] = given instanceof Map ? given : new Map();
  assertSettings(auth, file, cloud);
  const inPlace = (place: Setting["place"], texts: Layer["entry"]) =>
    [...texts].flatMap(([written, value]) => {
      if (typeof value !== "string" || value === "") return [];
      const key = withUnderscores(written);
      const text = () => {
        const known = key === "auth_url" ? value.replaceAll(REGION, region) : value;
        const isOne = !SECRET_INSIDE.test(known) && !SETTING_INSIDE.test(withUnderscores(known));
        if (isOne) return known;
        const problem = `${written} of the cloud ${quote(cloud)} has another setting's key in its value: each setting needs its own line`;
        throw invalidFile(file.path, problem, file.lineOf(written));
      };
      return [{ place, key, name: key, text, value, file }];
    });
  return [...inPlace("auth", auth), ...inPlace("beside", entry)];
}

/** Refuses unknown keys below `auth`: one may be a secret, such as `password:…`. */
function assertSettings(auth: Layer["entry"], file: CloudsFile, cloud: string): void {
  for (const [key, value] of auth) {
    const isSetting = KNOWN.has(withUnderscores(key));
    if (isSetting && (typeof value === "string" || value === null)) continue;
    const problem = isSetting
      ? `${key} below auth of the cloud ${quote(cloud)} is not a string`
      : `auth of the cloud ${quote(cloud)} has a key that is not a setting; after a colon, a blank is required`;
    throw invalidFile(file.path, problem, file.lineOf(key));
  }
}

function withUnderscores(key: string): string {
  return key.replaceAll("-", "_");
}

/** The profile of a cloud, from clouds-public.yaml; none if it is not there. */
async function profileIn(
  profile: CloudSetting | undefined,
  folder: string,
  context: ProcessContext,
): Promise<readonly Layer[]> {
  const file = profile && (await loadCloudsFile("clouds-public", folder, context));
  if (profile === undefined || !file?.clouds.has(profile.value)) return [];
  return layersOf(file, profile.value, "a profile");
}

function hintOf(profile: string): string {
  return `No clouds-public.yaml has the profile ${quote(profile)}. If it comes with openstacksdk, copy its auth_url into auth: python3 -c "from openstack.config import vendors; print(vendors.get_profile(input()))" prints the profile whose name it reads.`;
}

/** The name of a cloud's first region, the values for it, and the file that gives them. */
function regionIn(layers: readonly Layer[]): {
  readonly name: string;
  readonly layers: readonly Layer[];
  readonly file: CloudsFile | undefined;
} {
  const given = layers.findLast(({ entry }) => entry.has("regions") || entry.has("region_name"));
  const regions = given?.entry.get("regions");
  const first = Array.isArray(regions) ? regions[0] : given?.entry.get("region_name");
  const name = first instanceof Map ? first.get("name") : first;
  const values = first instanceof Map ? first.get("values") : undefined;
  return {
    name: typeof name === "string" ? (name.split(",")[0] ?? "") : "",
    layers: given && values instanceof Map ? [{ file: given.file, entry: values }] : [],
    file: given?.file,
  };
}

/**
 * Refuses an address, or a region in it, that came with the project together with a secret that did
 * not: a cloned repository would decide where the user's secret is sent. If
 * IAM_TOKENS_ALLOWED_AUTH_URLS is set, it decides.
 */
function assertTogether(
  title: Text,
  address: CloudsFile,
  secret: CloudsFile,
  { folder }: CloudRequest,
  { variables }: ProcessContext,
): void {
  // One secret, even if it was renewed between the two reads.
  const isTogether =
    dirname(address.realPath) === dirname(secret.realPath) ||
    (dirname(address.path) === dirname(secret.path) &&
      [address, secret].every(({ path, realPath }) => isInMountedSecret(path, realPath)));
  if (isTogether || variables[ALLOWED_AUTH_URLS] !== undefined) return;
  if (!isOfProject(address, folder)) return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    words`The address of ${title} comes from ${quote(address.path, "path")}, a file in the project, but the secret comes from ${quote(secret.path, "path")}: two sources.`,
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
