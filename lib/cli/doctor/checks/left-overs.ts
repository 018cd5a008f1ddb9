import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isLeftBehind } from "../../../plugin/handover/left-behind";
import { isLeftOver } from "../../run/outer-run";
import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { cross, ok, unless, warning } from "../finding";
import { type LeftOverProcess, leftOverProcesses } from "../processes";
import { namesIn } from "../project/stack";

/** A provider notices within moments that its Terraform has ended. */
const MOMENT_MS = 1_000;

/** Processes and folders that a kill, or a fault, has left. */
export const checkLeftOvers: Check = async ({ env, proc }) => {
  const processes = await lasting(proc);
  const folders = await leftOverFolders(env);
  const found = [
    ...processes.map(({ pid, program }) =>
      cross(
        `The process ${pid} (${pathInShell(program)}) serves nobody any more, and may hold tokens in memory.`,
        `End it: kill ${pid}.`,
      ),
    ),
    ...folders.map((folder) =>
      warning(
        `${pathInShell(folder)} was left by a provider that was killed.`,
        `Remove it: rm -r ${pathInShell(folder)}.`,
      ),
    ),
  ];
  return unless(found, () => ok("No process and no folder of a provider is left."));
};

/** Looks twice, as one may be about to end. */
async function lasting(proc: string): Promise<readonly LeftOverProcess[]> {
  const first = leftOverProcesses(proc);
  if (first.length === 0) return first;
  await wait(MOMENT_MS);
  const now = leftOverProcesses(proc);
  return first.filter(({ pid, program }) =>
    now.some((each) => each.pid === pid && each.program === program),
  );
}

/**
 * Of launches that shared a server, and of runs. Only those of this user and this machine: of
 * others nothing can be known.
 */
async function leftOverFolders(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const bases = new Set(
    [env.XDG_RUNTIME_DIR, env.TMPDIR || "/tmp"].filter((base) => base?.startsWith("/")),
  );
  const found: string[] = [];
  for (const base of bases) {
    for (const name of namesIn(base ?? "")) {
      const folder = join(base ?? "", name);
      const gone = name.startsWith("tfp-")
        ? await isLeftOver(folder)
        : /^iam-tokens-\d+-\d+$/.test(name) && isLeftBehind(folder);
      if (gone) found.push(folder);
    }
  }
  return found;
}
