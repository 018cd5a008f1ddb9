import { spawnSync } from "node:child_process";

/** Why a test that needs them is skipped. */
export const NO_MOUNTS = "no command may have mounts of its own here (unshare)";

/** Whether a command can have its own mounts. */
export function canMount(): boolean {
  const [program, ...args] = withMounts("mount -t tmpfs tmpfs /mnt", ["true"]);
  return spawnSync(program, args).status === 0;
}

/** A command with the mounts that the lines of a shell script create. They end with the command. */
export function withMounts(
  lines: string,
  command: readonly string[],
): readonly [program: string, ...args: string[]] {
  return ["unshare", "-Urm", "/bin/sh", "-ec", `${lines}\nexec "$@"`, "sh", ...command];
}
