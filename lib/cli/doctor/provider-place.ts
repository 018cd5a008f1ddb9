import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pluginFolder } from "../../constructs/delivery/lay-out";
import { dirHash } from "../../constructs/delivery/provider-files";
import { thisPlatform } from "./platform";
import { namesIn, type Stack } from "./project/stack";

/** The provider as it lies beside a stack, for this machine. */
export interface ProviderPlace {
  readonly version: string;
  readonly folder: string;
}

/** Where Terraform finds the provider beside a stack: the version that is required, or whichever is there; undefined without any. */
export function placeBeside({ folder, required }: Stack): ProviderPlace | undefined {
  const base = pluginFolder(folder);
  const versions = namesIn(base).filter((name) => /^\d/.test(name));
  const version = versions.find((each) => each === required) ?? versions.at(-1);
  return version === undefined ? undefined : { version, folder: join(base, version, thisPlatform()) };
}

/** What Terraform's lock file has to say of a folder; undefined when there is none, or it cannot be read. */
export function hashOf(folder: string): string | undefined {
  const names = namesIn(folder);
  if (names.length === 0) return undefined;
  try {
    return dirHash(names.map((name) => ({ name, content: readFileSync(join(folder, name)) })));
  } catch {
    return undefined;
  }
}

/** Whether a file may be run by somebody. */
export function mayRun(path: string): boolean {
  try {
    return (lstatSync(path).mode & 0o111) !== 0;
  } catch {
    return false;
  }
}
