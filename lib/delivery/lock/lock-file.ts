import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isTable } from "../../hcl/json";
import { readText } from "../read-text";
import { replaceFile, writing } from "../write-file";
import { fullSource, type RequiredProvider } from "./command-line-note";
import { mergeLock, type OwnEntry } from "./merge-lock";

/** Terraform's name for it. */
const NAME = ".terraform.lock.hcl";

/** The stack as the synthesis before has written it; this one overwrites it later. */
const PREVIOUS = "cdk.tf.json";
const PREVIOUS_LIMIT_BYTES = 100_000_000;

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
    const changed = text === undefined ? [] : changedSources(stackFolder, required);
    const merged = mergeLock(text, own, required, changed);
    if (merged !== undefined && merged !== text)
      replaceFile(target, merged, stats && stats.mode & 0o777);
    return merged !== undefined;
  });
}

/** The providers of which the synthesis before has required another version. */
function changedSources(stackFolder: string, required: readonly RequiredProvider[]): string[] {
  const before = Object.entries(previouslyRequired(join(stackFolder, PREVIOUS)));
  const versions = new Map(
    before.map(([name, given]) => {
      const { source = name, version } = isTable(given) ? given : {};
      return [fullSource(String(source)), version];
    }),
  );
  return required
    .filter(({ source, version }) => versions.has(source) && versions.get(source) !== version)
    .map(({ source }) => source);
}

function previouslyRequired(path: string): object {
  try {
    return Object(
      JSON.parse(readText(path, PREVIOUS_LIMIT_BYTES) ?? "").terraform.required_providers,
    );
  } catch {
    return {};
  }
}
