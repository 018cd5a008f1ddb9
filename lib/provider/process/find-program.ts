import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";

/**
 * The file of a program: a path as it is given, and a name in the absolute folders of PATH alone.
 * An empty or relative element of PATH means the working folder, and Windows searches that first in
 * any case: a module or a cloned repository may have a program there.
 *
 * @returns undefined if no folder has an executable file of this name
 */
export function findProgram(name: string, path = ""): string | undefined {
  const isWindows = process.platform === "win32";
  const { delimiter, isAbsolute } = isWindows ? win32 : posix;
  if (name.includes("/") || (isWindows && name.includes("\\"))) return name;
  const endings = isWindows ? [...(name.includes(".") ? [""] : []), ".com", ".exe"] : [""];
  return (isWindows ? path.replaceAll('"', "") : path)
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((folder) => endings.map((ending) => `${folder}/${name}${ending}`))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
