import { lstatSync } from "node:fs";
import { join } from "node:path";
import { readValueFile, TEMPORARY_PREFIX, VALUE_FILE } from "../../../delivery/values/value-file";
import { formatDuration, IAM_TOKEN_LIFETIME_MS, IamTokensError, quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { cross, type Finding, ok, skipped, unless, warning } from "../finding";
import { namesIn, type Stack } from "../project/stack";

/**
 * The files with tokens that a pass before synthesis has written: for their owner alone, and of
 * this synthesis.
 */
export const checkValueFiles: Check = ({ project, now }) => {
  const there = project.stacks.filter(({ folder }) =>
    namesIn(folder).some((name) => name === VALUE_FILE || name.startsWith(TEMPORARY_PREFIX)),
  );
  if (there.length === 0) return [skipped("No stack has a file with tokens.")];
  const faults = there.flatMap((stack) => [...temporariesOf(stack), ...faultsOf(stack, now())]);
  return unless(faults, () =>
    ok(`For their owner alone, and in use: ${there.map(({ name }) => name).join(", ")}.`),
  );
};

function temporariesOf({ folder }: Stack): readonly Finding[] {
  return namesIn(folder)
    .filter((name) => name.startsWith(TEMPORARY_PREFIX))
    .map((name) =>
      cross(
        `${pathInShell(join(folder, name))} was left by a synthesis that was killed, with tokens in it.`,
        "Remove it.",
      ),
    );
}

function faultsOf({ name, folder, variables }: Stack, now: number): readonly Finding[] {
  const path = join(folder, VALUE_FILE);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  let names: readonly string[];
  try {
    names = Object.keys(readValueFile(folder) ?? {});
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_FILE_NOT_OURS") throw error;
    return [
      warning(
        `${pathInShell(path)} is not of this package.`,
        "Give it another name: a synthesis with such tokens refuses to replace it.",
      ),
    ];
  }
  const found: Finding[] = [];
  const mode = stats.mode & 0o777;
  if ((mode & 0o077) !== 0) {
    found.push(
      cross(
        `Others may read the tokens of the stack ${quote(name)}: ${pathInShell(path)} has the mode ${mode.toString(8)}.`,
        `chmod 600 ${pathInShell(path)}; whoever may have read them can use them until they expire.`,
      ),
    );
  }
  const unused = names.filter((variable) => !variables.includes(variable));
  if (unused.length > 0) {
    found.push(
      cross(
        `${pathInShell(path)} is left over: the stack ${quote(name)} declares no variable ${unused.map(quote).join(", ")}.`,
        "Remove the file, or synthesize again with resolveTokens.",
      ),
    );
  } else if (now - stats.mtimeMs > IAM_TOKEN_LIFETIME_MS) {
    found.push(
      warning(
        `The tokens of the stack ${quote(name)} were resolved ${formatDuration(now - stats.mtimeMs)} ago: IAM tokens among them have expired.`,
        "Synthesize again before you apply, or remove the file.",
      ),
    );
  }
  return found;
}
