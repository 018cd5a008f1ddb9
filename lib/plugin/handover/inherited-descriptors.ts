import { closeSync, readdirSync, readlinkSync } from "node:fs";

/** Those below it a shell can close, and the launcher has. */
const FIRST = 10;
/**
 * A pipe, a socket, a terminal or a file: what somebody may wait for, or have locked. No two of
 * them have the same name.
 */
const SOMEBODYS = /^((pipe|socket):\[|\/dev\/pts\/|\/(?!dev\/))/;

/**
 * Closes what this process has inherited from Terraform, and Terraform from whoever started it: a
 * shell's `> >(tee log)` and
 * `exec 200>lock` are such. A descriptor of the same number, for the same thing, has been
 * inherited.
 */
export function closeInherited(terraform: number): void {
  for (const name of readdirSync("/proc/self/fd")) {
    if (Number(name) < FIRST) continue;
    const own = linkOf(`/proc/self/fd/${name}`);
    if (SOMEBODYS.test(own) && own === linkOf(`/proc/${terraform}/fd/${name}`))
      closeSync(Number(name));
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
