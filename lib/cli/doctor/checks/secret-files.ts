import { lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readValueFile, TEMPORARY_PREFIX, VALUE_FILE } from "../../../delivery/values/value-file";
import {
  formatDuration,
  IAM_TOKEN_LIFETIME_MS,
  IamTokensError,
  pathInShell,
  quote,
} from "../../../tokens";
import type { Check } from "../doctor-context";
import { namesIn, REPLACE_WITH_FILE } from "../files";
import { type Finding, failure, findingsOr, ok, skipped, warning } from "../finding";
import type { Stack } from "../project";

/**
 * Folders of secrets in containers: the container decides about modes there, and by default
 * everybody can read them.
 */
const OF_CONTAINERS = /^\/(?:var\/)?run\/secrets\//;

/**
 * Whether others can read the files with secrets and keys. The check of credentials reports
 * missing ones.
 */
export const checkSecretFiles: Check = async (context) => {
  const files = new Map<string, string>();
  for (const { description, processContext, about } of await context.services()) {
    const { secret, clientCertificate } = description ?? {};
    const named = [secret?.kind === "file" ? secret.path : undefined, clientCertificate?.key.path];
    for (const path of named)
      if (path !== undefined) files.set(resolve(processContext.workingFolder, path), about);
  }
  if (files.size === 0) return skipped("No provider block names a file with a secret or a key.");
  if (process.platform === "win32")
    return skipped("File permissions on Windows are not checked: icacls FILE displays them.");
  const found = [...files].flatMap(([path, about]) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if (OF_CONTAINERS.test(path) || (mode & 0o006) === 0) return [];
    const may = (mode & 0o002) !== 0 ? "change" : "read";
    return failure(
      `Everybody on this machine may ${may} ${pathInShell(path)} (${about}): mode ${(mode & 0o777).toString(8)}.`,
      `chmod 600 ${pathInShell(path)}`,
    );
  });
  return findingsOr(found, () =>
    ok(
      files.size === 1
        ? "The file is not readable for everybody."
        : `None of ${files.size} files is readable for everybody.`,
    ),
  );
};

/**
 * The files of tokens that were resolved before synthesis: readable only for their owner, and from
 * this synthesis.
 */
export const checkValueFiles: Check = ({ project, now }) => {
  const there = project.stacks.filter(({ folder }) =>
    namesIn(folder).some((name) => name === VALUE_FILE || name.startsWith(TEMPORARY_PREFIX)),
  );
  if (there.length === 0) return skipped("No stack has a token file.");
  const faults = there.flatMap((stack) => [...temporariesOf(stack), ...faultsOf(stack, now())]);
  return findingsOr(faults, () =>
    ok(`Readable by their owner only, and in use: ${there.map(({ name }) => name).join(", ")}.`),
  );
};

function temporariesOf({ folder }: Stack): readonly Finding[] {
  return namesIn(folder)
    .filter((name) => name.startsWith(TEMPORARY_PREFIX))
    .map((name) =>
      failure(
        `${pathInShell(join(folder, name))} was left by a killed synthesis and contains tokens.`,
        "Remove it.",
      ),
    );
}

function faultsOf({ name, folder, variables }: Stack, now: number): readonly Finding[] {
  const path = join(folder, VALUE_FILE);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isFile())
    return [failure(`${pathInShell(path)} is not a regular file.`, REPLACE_WITH_FILE)];
  let names: readonly string[];
  try {
    names = Object.keys(readValueFile(folder) ?? {});
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_FILE_NOT_OURS") throw error;
    return [
      warning(
        `${pathInShell(path)} was not written by this package.`,
        "Rename it: a synthesis with such tokens refuses to replace it.",
      ),
    ];
  }
  const found: Finding[] = [];
  // On Windows, Node.js invents a mode.
  const mode = process.platform === "win32" ? 0o600 : stats.mode & 0o777;
  if ((mode & 0o077) !== 0) {
    found.push(
      failure(
        `Others may read the tokens of the stack ${quote(name)}: ${pathInShell(path)} has mode ${mode.toString(8)}.`,
        `chmod 600 ${pathInShell(path)}; anybody who has read the tokens can use them until they expire.`,
      ),
    );
  }
  const unused = names.filter((variable) => !variables.includes(variable));
  if (unused.length > 0) {
    found.push(
      failure(
        `${pathInShell(path)} is obsolete: the stack ${quote(name)} declares no variable ${unused.map(quote).join(", ")}.`,
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
