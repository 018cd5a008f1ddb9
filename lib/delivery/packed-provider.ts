import { createHash } from "node:crypto";
import { join } from "node:path";
import { isTable, member, type TerraformJson } from "../hcl/json";
import { isFileWith, makeFolders, readJson, replaceFile, statsAt, writing } from "./files";
import type { Added } from "./lay-out";
import { PLATFORMS } from "./platforms";
import { folderFor, type ProviderFiles } from "./provider-files";
import { type Archive, releaseName } from "./release-archives";
import { zip } from "./zip";

/** The provider's archives as it is in the package, without Node.js. */
export function archivesOf(provider: ProviderFiles): readonly Archive[] {
  return PLATFORMS.map((platform) => {
    const { files, h1 } = folderFor(provider, platform);
    const name = `${releaseName(provider.version)}_${platform}.zip`;
    const content = zip(files);
    const zh = createHash("sha256").update(content).digest("hex");
    return { platform, name, content, hashes: [h1, `zh:${zh}`] };
  });
}

/**
 * Adds a version to a folder of the provider's archives, with the lists of the provider network mirror
 * protocol: the folder is a filesystem mirror and, served over https, a network mirror.
 *
 * @throws ERR_WRITE_FAILED
 */
export function addPackedVersion(
  base: string,
  version: string,
  archives: readonly Archive[],
): Added {
  return writing(base, () => {
    const listed = Object.fromEntries(
      archives.map(({ platform, name, hashes }) => [platform, { url: name, hashes }]),
    );
    const list = { name: `${version}.json`, content: json({ archives: listed }) };
    const files = [...archives, list].map(({ name, content }) => ({
      path: join(base, name),
      content,
    }));
    const missing = files.filter(({ path }) => statsAt(path) === undefined);
    const different = files.find(
      (file) => !missing.includes(file) && !isFileWith(file.path, file.content),
    );
    if (different !== undefined) return { different: different.path };
    makeFolders(base);
    for (const { path, content } of missing) replaceFile(path, content);
    // Last: what it names is complete.
    const index = join(base, "index.json");
    const known = versionsIn(index);
    if (version in known) return missing.length === 0 ? "there" : "added";
    replaceFile(index, json({ versions: { ...known, [version]: {} } }));
    return "added";
  });
}

/** The versions of a mirror's list; one that cannot be read is made anew. */
function versionsIn(path: string): TerraformJson {
  const versions = member(readJson(path), "versions");
  return isTable(versions) ? versions : {};
}

const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
