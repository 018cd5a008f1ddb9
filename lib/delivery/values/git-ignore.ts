import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf } from "../../tokens";
import { writing } from "../write-file";
import { TEMPORARY_PREFIX, VALUE_FILE } from "./value-file";

const OURS = `# Written by cdktf-iam-tokens: the file holds tokens.
/${VALUE_FILE}
/${TEMPORARY_PREFIX}*
`;

/**
 * Keeps the file of values out of Git, also in a project that does not ignore its output folder.
 *
 * @returns whether Git ignores it, as far as can be told: a `.gitignore` that is the user's own is
 * not touched
 * @throws ERR_WRITE_FAILED
 */
export function ignoreValueFile(stackFolder: string): boolean {
  const path = join(stackFolder, ".gitignore");
  const there = readText(path);
  if (there === undefined) writing(path, () => writeFileSync(path, OURS, { flag: "wx" }));
  return there === undefined || there.split(/\r?\n/).some((line) => COVERING.has(line.trim()));
}

/** Removes the `.gitignore`, when it is ours. */
export function unignoreValueFile(stackFolder: string): void {
  const path = join(stackFolder, ".gitignore");
  if (readText(path) === OURS) writing(path, () => rmSync(path, { force: true }));
}

/** Lines by which a user ignores the file; there are others, of which we say so for nothing. */
const COVERING: ReadonlySet<string> = new Set([
  "*",
  "/*",
  VALUE_FILE,
  `/${VALUE_FILE}`,
  "*.auto.tfvars.json",
  "*.tfvars.json",
]);

/** What something that is no text is does not matter: it is not ours. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return errorCodeOf(error) === "ENOENT" ? undefined : "";
  }
}
