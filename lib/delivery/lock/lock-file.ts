import { join } from "node:path";
import { member } from "../../hcl/json";
import { readJson, readText, replaceFile, statsAt, writing } from "../files";
import { fullSource, type RequiredProvider } from "./command-line-note";
import { mergeLock, type OwnEntry } from "./merge-lock";

/** Terraform's name for it. */
export const LOCK_FILE = ".terraform.lock.hcl";

/** The stack as the synthesis before has written it; this one overwrites it later. */
const PREVIOUS = "cdk.tf.json";

/**
 * Brings the lock file of a stack's folder up to date; writes nothing if it is already. It must not
 * be a link: the caller refuses one before it writes anything (lib/delivery/lay-out.ts).
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
    const stats = statsAt(path);
    const text = readText(path);
    // A FIFO, or what cannot be read.
    if (stats !== undefined && text === undefined) return false;
    let changed: readonly string[] | undefined;
    const isChanged = (source: string): boolean => {
      // Only where there are others' entries: the file is as large as the stack.
      changed ??= changedSources(stackFolder, required);
      return changed.includes(source);
    };
    const merged = mergeLock(text, own, required, isChanged);
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
