import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { IamTokensError } from "../tokens";

/** This package as it is installed. */
interface InstalledPackage {
  readonly root: string;
  readonly version: string;
}

const NAME = "cdktf-iam-tokens";
let found: InstalledPackage | undefined;

/**
 * Finds the folder of this package, by walking up: the same from `lib/` in a checkout and from
 * `dist/` when installed.
 *
 * @throws ERR_PROVIDER_FILES_MISSING when the code runs outside of its package, as in a program
 * bundled to one file
 */
export function installedPackage(): InstalledPackage {
  found ??= findPackage(__dirname);
  return found;
}

/** The version that stacks require: exactly this one. */
export function packageVersion(): string {
  return installedPackage().version;
}

function findPackage(start: string): InstalledPackage {
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = readManifest(join(folder, "package.json"));
    if (manifest?.name === NAME && typeof manifest.version === "string")
      return { root: folder, version: manifest.version };
    if (dirname(folder) === folder) break;
  }
  throw new IamTokensError(
    "ERR_PROVIDER_FILES_MISSING",
    `The package ${NAME} is not around the code that runs (${start}).`,
    {
      remedy: `Install ${NAME} as a package; in a program that is bundled to one file, keep it external.`,
    },
  );
}

function readManifest(
  path: string,
): { readonly name?: unknown; readonly version?: unknown } | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as {
      readonly name?: unknown;
      readonly version?: unknown;
    };
  } catch {
    return undefined;
  }
}
