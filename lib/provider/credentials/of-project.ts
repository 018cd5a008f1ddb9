import { existsSync, realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** A file by the path that found it, and without links. */
export interface FoundFile {
  readonly path: string;
  readonly realPath: string;
}

/**
 * Whether a file came with the project, perhaps with a stranger's repository, however its path is
 * spelled: it is in the checkout that contains the current folder (without a .git, the folder of
 * cdktf.json), or below that folder, by its real path or by a link there. In a folder that contains
 * the user's home, only the files directly in it are the project's.
 *
 * @param folder the current folder
 */
export function isOfProject({ path, realPath }: FoundFile, folder: string): boolean {
  const current = withoutLinks(folder);
  const root = folderWith(".git", current) ?? folderWith("cdktf.json", current) ?? current;
  if (contains(current, home())) return [folder, current].includes(dirname(path));
  return contains(root, realPath) || contains(folder, path);
}

/** The nearest folder with this file, unless it is that of the user's own settings. */
function folderWith(name: string, folder: string): string | undefined {
  if (contains(folder, home())) return undefined;
  if (existsSync(join(folder, name))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : folderWith(name, parent);
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Not that of the variable HOME: whoever sets it must not move the border of the project. */
function home(): string {
  try {
    return withoutLinks(userInfo().homedir);
  } catch {
    // A user without an entry has none.
    return sep;
  }
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
