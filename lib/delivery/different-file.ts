import { type Dirent, readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { isFileWith, linkOn } from "./files";
import type { ProviderFile } from "./provider-files";

/**
 * The first path by which a folder differs from the provider's own, byte by byte: a file that is
 * missing, has another content, or is not the provider's; or the folder itself, if it cannot be
 * read. Links count as different, also those on the way to the folder: they can lead elsewhere a
 * moment later.
 *
 * @param base the folder from which the names lead there
 */
export function differentFile(
  base: string,
  names: readonly string[],
  files: readonly Pick<ProviderFile, "name" | "content">[],
): string | undefined {
  const link = linkOn(base, names);
  if (link !== undefined) return link;
  const folder = join(base, ...names);
  const known = new Map(files.map(({ name, content }) => [join(folder, name), content]));
  const isForeign = (entry: Dirent) => {
    const path = pathOf(entry);
    if (entry.isDirectory()) return ![...known.keys()].some((each) => each.startsWith(path + sep));
    return !known.has(path) || !entry.isFile();
  };
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const foreign = entries.find(isForeign);
    if (foreign !== undefined) return pathOf(foreign);
  } catch {
    return folder;
  }
  return [...known].find(([path, content]) => !isFileWith(path, content))?.[0];
}

const pathOf = ({ parentPath, name }: Dirent): string => join(parentPath, name);
