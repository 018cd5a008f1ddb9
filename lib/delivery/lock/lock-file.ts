import { lstatSync } from "node:fs";
import { join } from "node:path";
import { member } from "../../hcl/json";
import { readJson, readText, replaceFile, writing } from "../files";
import { fullSource, type RequiredProvider } from "./command-line-note";
import { mergeLock, type OwnEntry } from "./merge-lock";

/** Terraform's name for it. */
export const LOCK_FILE = ".terraform.lock.hcl";

/** Far above a real one: an entry has about 2 KiB. */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** The stack as the synthesis before has written it; this one overwrites it later. */
const PREVIOUS = "cdk.tf.json";

/**
 * Brings the lock file of a stack's folder up to date; writes nothing if it is already. It must not
 * be a link.
 *
 * @returns whether the existing file has Terraform's form; any other stays as it is
 * @throws ERR_WRITE_FAILED
 */
export function updateLockFile(
  stackFolder: string,
  own: OwnEntry,
  required: readonly RequiredProvider[],
): boolean {
  const path = join(stackFolder, LOCK_FILE);
  return writing(path, () => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const text = readText(path, LIMIT_BYTES);
    // A FIFO, or what cannot be read.
    if (stats !== undefined && text === undefined) return false;
    const merged = mergeLock(text, own, required, changedSources(stackFolder, required));
    if (merged !== undefined && merged !== text)
      replaceFile(path, merged, stats && stats.mode & 0o777);
    return merged !== undefined;
  });
}

/** OpenTofu completes a short source with its own registry, and writes that into the lock file. */
const inOpenTofu = (source: string) =>
  source.replace(/^registry\.terraform\.io\//, "registry.opentofu.org/");

/** The providers of which the synthesis before, if it can be read, has required another version. */
function changedSources(stackFolder: string, required: readonly RequiredProvider[]): string[] {
  const previous = member(readJson(join(stackFolder, PREVIOUS)), "terraform");
  const before = Object.entries(Object(member(previous, "required_providers")));
  const isChanged = ({ source, version }: RequiredProvider) =>
    before.some(
      ([name, given]) =>
        fullSource(String(member(given, "source") ?? name)) === source &&
        member(given, "version") !== version,
    );
  return required.filter(isChanged).flatMap(({ source }) => [source, inOpenTofu(source)]);
}
