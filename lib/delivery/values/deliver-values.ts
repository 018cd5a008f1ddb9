import { mkdirSync } from "node:fs";
import type { StackRegistry, TokenRecord } from "../../constructs/survey/registry";
import { writing } from "../write-failed";
import { ignoreValueFile, unignoreValueFile } from "./git-ignore";
import { removeLeftOvers } from "./left-overs";
import { readValueFile, removeValueFile, type VariableValues, writeValueFile } from "./value-file";
import { valuesOf, valuesWithoutPass } from "./variable-values";

/**
 * Puts the values of a stack's variables beside it, or removes those of an earlier synthesis.
 *
 * @returns false when the file is written and Git may not ignore it
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function deliverValues(
  stackFolder: string,
  { pass }: Pick<StackRegistry, "pass">,
  tokens: readonly TokenRecord[],
): boolean {
  if (tokens.length === 0 || pass === undefined || (!pass.skipped && !pass.isWritten())) {
    removeValues(stackFolder);
    return true;
  }
  const there = pass.skipped ? (readValueFile(stackFolder) ?? {}) : {};
  const values: VariableValues[] = tokens.map((record) => {
    const resolved = pass.values.get(record);
    return resolved === undefined ? valuesWithoutPass(record, there) : valuesOf(record, resolved);
  });
  writing(stackFolder, () => mkdirSync(stackFolder, { recursive: true }));
  // First, so that there is no moment in which Git would take the values.
  const ignored = ignoreValueFile(stackFolder);
  removeLeftOvers(stackFolder);
  writeValueFile(stackFolder, Object.assign({}, ...values) as VariableValues);
  return ignored;
}

/** Removes what an earlier synthesis has written into a stack's folder. @throws ERR_WRITE_FAILED */
export function removeValues(stackFolder: string): void {
  // Before the .gitignore that keeps them out of Git.
  removeLeftOvers(stackFolder);
  if (removeValueFile(stackFolder)) unignoreValueFile(stackFolder);
}
