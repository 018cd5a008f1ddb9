import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf } from "../../tokens";
import { writing } from "../write-file";
import { TEMPORARY_PREFIX, VALUE_FILE } from "./value-file";

const OURS = `# Written by cdktf-iam-tokens: the file holds tokens.
/${VALUE_FILE}
/${TEMPORARY_PREFIX}*
`;

/**
 * Keeps the file of values out of Git, even in a project that does not ignore its output folder.
 *
 * @returns whether Git ignores it, as far as this can be known: a `.gitignore` of the user is not
 * changed
 * @throws ERR_WRITE_FAILED
 */
export function ignoreValueFile(stackFolder: string): boolean {
  const path = join(stackFolder, ".gitignore");
  const there = readText(path);
  if (there === undefined) writing(path, () => writeFileSync(path, OURS, { flag: "wx" }));
  return there === undefined || covers(there.split(/\r?\n/).map((line) => line.trim()));
}

/** A line with `!` may include the file again. */
function covers(lines: readonly string[]): boolean {
  const takenBack = lines.some((line) => line.startsWith("!") && !/^!\/?\.gitignore$/.test(line));
  return !takenBack && lines.some((line) => COVERING.has(line));
}

/** Removes the `.gitignore` if it is ours. */
export function unignoreValueFile(stackFolder: string): void {
  const path = join(stackFolder, ".gitignore");
  if (readText(path) === OURS) writing(path, () => rmSync(path, { force: true }));
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

/** Anything but a regular file is not ours; reading a FIFO would wait. */
function readText(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch (error) {
    return errorCodeOf(error) === "ENOENT" ? undefined : "";
  }
}
