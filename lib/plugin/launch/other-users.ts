import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Whether a user other than root and this one has a process on this machine, or a file in this
 * folder. Yes if that cannot be seen: outside Linux, where processes are hidden, or in a folder that
 * cannot be read. In a container, the machine is the container.
 */
export function hasOtherUsers(folder: string, proc = "/proc"): boolean {
  const ours = [0, process.getuid?.()];
  try {
    if (/^\S+ \S+ proc \S*hidepid=/m.test(readFileSync(path.join(proc, "self/mounts"), "utf8")))
      return true;
    const users = processesIn(proc).flatMap((id) => usersOf(path.join(proc, id, "status")));
    const owners = readdirSync(folder).map((name) => lstatSync(path.join(folder, name)).uid);
    return users.length === 0 || ![...users, ...owners].every((uid) => ours.includes(uid));
  } catch {
    return true;
  }
}

const processesIn = (proc: string): readonly string[] =>
  readdirSync(proc).filter((name) => /^\d+$/.test(name));

/**
 * The users of a process: its real one, and those whose rights it has. The owner of its folder is
 * not enough: that is root if the process may not be traced.
 */
function usersOf(status: string): readonly number[] {
  let text: string;
  try {
    text = readFileSync(status, "utf8");
  } catch (error) {
    // It has ended.
    if (error instanceof Error && "code" in error && /^(ENOENT|ESRCH)$/.test(String(error.code)))
      return [];
    throw error;
  }
  const [, uids = "NaN"] = /^Uid:([\d\t ]+)$/m.exec(text) ?? [];
  return uids.trim().split(/\s+/).map(Number);
}
