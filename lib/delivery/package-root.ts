import { dirname, join } from "node:path";
import { OWN_PACKAGE } from "../framework";
import { member } from "../hcl/json";
import { IamTokensError } from "../tokens";
import { readJson } from "./files";

let found: ReturnType<typeof findPackage> | undefined;

/**
 * Finds the folder of this package by walking up. This works from `lib/` in a checkout and from
 * `dist/` in an installation.
 *
 * @throws ERR_PROVIDER_FILES_MISSING if the code runs outside of its package, for instance in a
 * program bundled to one file
 */
export function installedPackage() {
  found ??= findPackage(__dirname);
  return found;
}

/** The version that stacks require: exactly this one. */
export function packageVersion(): string {
  return installedPackage().version;
}

function findPackage(start: string) {
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = readJson(join(folder, "package.json"));
    const version = member(manifest, "version");
    if (member(manifest, "name") === OWN_PACKAGE && typeof version === "string")
      return { root: folder, version };
    if (dirname(folder) === folder) break;
  }
  throw new IamTokensError(
    "ERR_PROVIDER_FILES_MISSING",
    `The running code is not inside the package ${OWN_PACKAGE} (${start}).`,
    {
      remedy: `Install ${OWN_PACKAGE} as a package. If you bundle your program into one file, keep the package external.`,
    },
  );
}
