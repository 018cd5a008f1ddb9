import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { linkOn, readBytes } from "./files";
import type { ProviderFolder } from "./provider-files";

/** What is there in the place of a file of the provider. */
export interface Different {
  readonly path: string;
}

/**
 * The first path by which a platform's folder differs from the provider's own, byte by byte: a file
 * that is missing, has another content, or is not the provider's; or the folder itself, if it
 * cannot be read. Links count as different, also those on the way to the folder: they can lead
 * elsewhere a moment later.
 *
 * @param base the folder from which the names lead there
 */
export function differentFile(
  base: string,
  names: readonly string[],
  { files }: ProviderFolder,
): string | undefined {
  const link = linkOn(base, names);
  if (link !== undefined) return link;
  const folder = join(base, ...names);
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return folder;
  }
  const known = new Map(files.map(({ name, content }) => [name, content]));
  const isForeign = (entry: Dirent) => !known.has(entry.name) || !entry.isFile();
  const isOther = ([name, content]: readonly [string, Buffer]) =>
    readBytes(join(folder, name), content.length)?.equals(content) !== true;
  const name = entries.find(isForeign)?.name ?? [...known].find(isOther)?.[0];
  return name === undefined ? undefined : join(folder, name);
}
