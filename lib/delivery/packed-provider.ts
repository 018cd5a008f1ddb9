import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { isTable, member, type TerraformJson } from "../hcl/json";
import { PROVIDER_TYPE } from "../provider/names";
import type { Different } from "./different-file";
import { readBytes, readJson, replaceFile, writing } from "./files";
import { PLATFORMS } from "./platforms";
import { folderFor, type ProviderFiles } from "./provider-files";
import { zip } from "./zip";

/** The provider's archive for a platform, by its name in mirrors and registries. */
function archivesOf(provider: ProviderFiles) {
  return PLATFORMS.map((platform) => {
    const { files, h1 } = folderFor(provider, platform);
    const name = `terraform-provider-${PROVIDER_TYPE}_${provider.version}_${platform}.zip`;
    const content = zip(files);
    const zh = createHash("sha256").update(content).digest("hex");
    return { platform, name, content, hashes: [h1, `zh:${zh}`] };
  });
}

/**
 * Adds the provider to a folder of its archives, with the lists of the provider network mirror
 * protocol: the folder is a filesystem mirror and, served over https, a network mirror.
 *
 * @returns "added", or "there" with the same archives, or the path of a file that differs and stays
 * @throws ERR_WRITE_FAILED
 */
export function addPackedVersion(
  base: string,
  provider: ProviderFiles,
): "added" | "there" | Different {
  return writing(base, () => {
    const archives = archivesOf(provider);
    const listed = Object.fromEntries(
      archives.map(({ platform, name, hashes }) => [platform, { url: name, hashes }]),
    );
    const list = `${provider.version}.json`;
    const files = [...archives, { name: list, content: Buffer.from(json({ archives: listed })) }];
    const there = files.filter(({ name }) => lstatSync(join(base, name), NO_ENTRY) !== undefined);
    const other = there.find(
      ({ name, content }) => !readBytes(join(base, name), content.length)?.equals(content),
    );
    if (other !== undefined) return { path: join(base, other.name) };
    mkdirSync(base, { recursive: true });
    for (const { name, content } of files)
      if (!there.some((file) => file.name === name)) replaceFile(join(base, name), content);
    // Last: what it names is complete.
    const known = versionsIn(join(base, "index.json"));
    if (provider.version in known) return there.length === files.length ? "there" : "added";
    const versions = { ...known, [provider.version]: {} };
    replaceFile(join(base, "index.json"), json({ versions }));
    return "added";
  });
}

const NO_ENTRY = { throwIfNoEntry: false } as const;

/** The versions of a mirror's list; one that cannot be read is made anew. */
function versionsIn(path: string): TerraformJson {
  const versions = member(readJson(path), "versions");
  return isTable(versions) ? versions : {};
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
