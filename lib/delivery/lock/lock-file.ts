import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { member } from "../../hcl/json";
import { readJson, replaceFile, writing } from "../files";
import { fullSource, type RequiredProvider } from "./command-line-note";
import { mergeLock, type OwnEntry } from "./merge-lock";

/** Terraform's name for it. */
const NAME = ".terraform.lock.hcl";

/** The stack as the synthesis before has written it; this one overwrites it later. */
const PREVIOUS = "cdk.tf.json";

/**
 * Brings the lock file of a stack's folder up to date; writes nothing if it is already.
 *
 * @returns whether the existing file has Terraform's form; any other stays as it is
 * @throws ERR_WRITE_FAILED
 */
export function updateLockFile(
  stackFolder: string,
  own: OwnEntry,
  required: readonly RequiredProvider[],
): boolean {
  const path = join(stackFolder, NAME);
  return writing(path, () => {
    const there = lstatSync(path, { throwIfNoEntry: false });
    // A link to a lock file elsewhere stays a link.
    const target = there?.isSymbolicLink() ? realpathSync(path) : path;
    const stats = statSync(target, { throwIfNoEntry: false });
    // Reading a FIFO would wait forever.
    if (stats?.isFile() === false) return false;
    const text = stats === undefined ? undefined : readFileSync(target, "utf8");
    const merged = mergeLock(text, own, required, changedSources(stackFolder, required));
    if (merged !== undefined && merged !== text)
      replaceFile(target, merged, stats && stats.mode & 0o777);
    return merged !== undefined;
  });
}

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
  return required.filter(isChanged).map(({ source }) => source);
}
