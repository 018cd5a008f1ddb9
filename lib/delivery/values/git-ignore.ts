import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../read-text";
import { writing } from "../write-file";
import { TEMPORARY_PREFIX, VALUE_FILE } from "./value-file";

const OURS = `# Written by cdktf-iam-tokens: the file holds tokens.
/${VALUE_FILE}
/${TEMPORARY_PREFIX}*
`;

/** Above the size of any that people write. */
const LIMIT_BYTES = 1024 * 1024;

/**
 * Keeps the file of values out of Git, even in a project that does not ignore its output folder.
 *
 * @returns whether Git ignores it, as far as this can be known: a `.gitignore` of the user is not
 * changed
 * @throws ERR_WRITE_FAILED
 */
export function ignoreValueFile(stackFolder: string): boolean {
  const path = join(stackFolder, ".gitignore");
  if (writing(path, () => lstatSync(path, { throwIfNoEntry: false })) === undefined) {
    writing(path, () => writeFileSync(path, OURS, { flag: "wx" }));
    return true;
  }
  const text = readText(path, LIMIT_BYTES) ?? "";
  return covers(text.split(/\r?\n/).map((line) => line.trim()));
}

/** A line with `!` may include the file again. */
function covers(lines: readonly string[]): boolean {
  const takenBack = lines.some((line) => line.startsWith("!") && !/^!\/?\.gitignore$/.test(line));
  return !takenBack && lines.some((line) => COVERING.has(line));
}

/** Removes the `.gitignore` if it is ours. */
export function unignoreValueFile(stackFolder: string): void {
  const path = join(stackFolder, ".gitignore");
  if (readText(path, LIMIT_BYTES) === OURS) writing(path, () => rmSync(path, { force: true }));
}

/**
 * Lines by which a user ignores the file. There are others; for these, the warning is unnecessary.
 */
const COVERING: ReadonlySet<string> = new Set([
  "*",
  "/*",
  VALUE_FILE,
  `/${VALUE_FILE}`,
  "*.auto.tfvars.json",
  "*.tfvars.json",
]);
