import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../read-text";
import { writing } from "../write-file";
import { TEMPORARY_FILE, VALUE_FILE } from "./value-file";

const OURS = `# Written by cdktf-iam-tokens: the file holds tokens.
/${VALUE_FILE}
/${TEMPORARY_FILE}
`;

/** Above the size of any that people write. */
const LIMIT_BYTES = 1024 * 1024;

/** A line that ignores the file. There are others; for these, the warning is unnecessary. */
const COVERS =
  /^[ \t]*(?:\/?\*|\/?iam-tokens\.auto\.tfvars\.json|\*(?:\.auto)?\.tfvars\.json)[ \t\r]*$/m;

/**
 * Keeps the file of values out of Git, even in a project that does not ignore its output folder.
 *
 * @returns whether Git ignores it, as far as this can be known: a `.gitignore` of the user is not
 * changed
 * @throws ERR_WRITE_FAILED
 */
export function ignoreValueFile(stackFolder: string): boolean {
  const path = join(stackFolder, ".gitignore");
  return writing(path, () => {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
      writeFileSync(path, OURS, { flag: "wx" });
    return COVERS.test(readText(path, LIMIT_BYTES) ?? "");
  });
}

/** Removes the `.gitignore` if it is ours. */
export function unignoreValueFile(stackFolder: string): void {
  const path = join(stackFolder, ".gitignore");
  if (readText(path, LIMIT_BYTES) === OURS) writing(path, () => rmSync(path, { force: true }));
}
