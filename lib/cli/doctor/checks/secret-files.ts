import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { cross, type Finding, ok, skipped, unless } from "../finding";

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
  if (files.size === 0)
    return [skipped("No provider block names a file with a password or a key.")];
  const found: Finding[] = [];
  for (const [path, about] of files) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || OF_CONTAINERS.test(path) || (stats.mode & 0o006) === 0) continue;
    const may =
      (stats.mode & 0o002) !== 0
        ? "Everybody on this machine may change"
        : "Everybody on this machine may read";
    found.push(
      cross(
        `${may} ${pathInShell(path)} (${about}): mode ${(stats.mode & 0o777).toString(8)}.`,
        `chmod 600 ${pathInShell(path)}`,
      ),
    );
  }
  return unless(found, () =>
    ok(
      files.size === 1
        ? "The one file is not readable for everybody."
        : `None of ${files.size} files is readable for everybody.`,
    ),
  );
};
