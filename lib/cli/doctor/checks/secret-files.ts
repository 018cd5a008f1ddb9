import { lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readValueFile, TEMPORARY_PREFIX, VALUE_FILE } from "../../../delivery/values/value-file";
import { formatDuration, IAM_TOKEN_LIFETIME_MS, IamTokensError, quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import { namesIn, PUT_A_FILE } from "../files";
import { type Check, cross, type Finding, ok, skipped, unless, warning } from "../finding";
import type { Stack } from "../project";

/**
 * Where containers have their secrets: modes there are the container's affair, and readable for all
 * by default.
 */
const OF_CONTAINERS = /^\/(?:var\/)?run\/secrets\//;

/**
 * Whether others may read the files that hold passwords and keys. Whether they are there is said of
 * the credentials.
 */
export const checkSecretFiles: Check = async (scene) => {
  const files = new Map<string, string>();
  for (const { description, surroundings, about } of await scene.services()) {
    const { password, clientCertificate } = description ?? {};
    const named = [
      password?.kind === "file" ? password.path : undefined,
      clientCertificate?.key.path,
    ];
    for (const path of named)
      if (path !== undefined) files.set(resolve(surroundings.workingFolder, path), about);
  }
  if (files.size === 0) return skipped("No provider block names a file with a password or a key.");
  const found = [...files].flatMap(([path, about]) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if (OF_CONTAINERS.test(path) || (mode & 0o006) === 0) return [];
    const may = (mode & 0o002) !== 0 ? "change" : "read";
    return cross(
      `Everybody on this machine may ${may} ${pathInShell(path)} (${about}): mode ${(mode & 0o777).toString(8)}.`,
      `chmod 600 ${pathInShell(path)}`,
    );
  });
  return unless(found, () =>
    ok(
      files.size === 1
        ? "The one file is not readable for everybody."
        : `None of ${files.size} files is readable for everybody.`,
    ),
  );
};

/**
 * The files with tokens that a pass before synthesis has written: for their owner alone, and of
 * this synthesis.
 */
export const checkValueFiles: Check = ({ project, now }) => {
  const there = project.stacks.filter(({ folder }) =>
    namesIn(folder).some((name) => name === VALUE_FILE || name.startsWith(TEMPORARY_PREFIX)),
  );
  if (there.length === 0) return skipped("No stack has a file with tokens.");
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
  if (!stats.isFile()) return [cross(`${pathInShell(path)} is not a regular file.`, PUT_A_FILE)];
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
