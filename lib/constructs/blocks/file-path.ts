import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep, win32 } from "node:path";
import { isUnresolved } from "../values/checks";
import { escapeTemplates } from "./block";

/** The stack's folder, for Terraform. */
const STACK_FOLDER = "${abspath(path.root)}";

/**
 * The path of a file for Terraform. Absolute paths and Terraform expressions stay. A path relative
 * to the project becomes relative to the stack's folder (`path.root`): the project can then be
 * moved as a whole between synthesis and apply. Terraform makes it absolute, because a provider
 * that it attaches to has another working folder.
 *
 * Terraform's `..` follows the real folders, so both ends are taken without symbolic links.
 *
 * @param project folder that relative paths start from
 * @param stackFolder in which Terraform will run
 */
export function filePathFor(path: string, project: string, stackFolder: string): string {
  // With a drive as well: Terraform may run on Windows even if this program does not.
  if (isUnresolved(path) || win32.isAbsolute(path)) return path;
  const target = join(realFolder(project), path);
  const way = relative(realFolder(stackFolder), target);
  // On Windows there is no relative path from one drive to another.
  if (isAbsolute(way)) return way;
  return `${STACK_FOLDER}/${escapeTemplates(way.split(sep).join("/"))}`;
}

/** The real path of a folder that may not exist yet. */
function realFolder(folder: string): string {
  const absolute = resolve(folder);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realFolder(parent), relative(parent, absolute));
  }
}
