import { realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { isThere } from "../process/own-folder";

/** A file by the path that found it, and without links. */
export interface FoundFile {
  readonly path: string;
  readonly realPath: string;
}

/**
 * Whether a file came with the project, perhaps with a stranger's repository, however its path is
 * spelled: it is in the project around the current folder, by its real path or by a link there. In
 * a folder that contains the user's home, only the files directly in it are the project's.
 *
 * @param folder the current folder
 */
export function isOfProject({ path, realPath }: FoundFile, folder: string): boolean {
  const current = withoutLinks(folder);
  if (contains(current, home())) return [folder, current].includes(dirname(path));
  return contains(projectAround(current) ?? current, realPath) || contains(folder, path);
}

/**
 * The outermost folder with a mark of a project, below the user's home or beside it: a nearer one
 * may be a submodule, or have come with the repository, and everything around it with both.
 */
function projectAround(folder: string): string | undefined {
  if (contains(folder, home())) return undefined;
  const parent = dirname(folder);
  const outer = parent === folder ? undefined : projectAround(parent);
  return outer ?? (MARKS.some((name) => isThere(join(folder, name))) ? folder : undefined);
}

const MARKS = [".git", "cdktf.json"];

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
