import { lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf, IamTokensError } from "../../tokens";
import { replaceFile, writing } from "../write-file";

/**
 * Terraform reads every file with this suffix by itself. The name is fixed, so that it can be
 * ignored, and removed when it is stale.
 */
export const VALUE_FILE = "iam-tokens.auto.tfvars.json";

/** Where it is written first: without the suffix above, with which Terraform would read half. */
export const TEMPORARY_FILE = ".iam-tokens-values";

/** Terraform ignores this key, as everywhere in its JSON. It marks a file of ours. */
const NOTE =
  "Tokens, written by cdktf-iam-tokens. Do not commit or upload; the next synthesis replaces or removes this file.";

/** Our files are never larger: hundreds of tokens of 8 KiB each. */
const LARGEST_BYTES = 16 * 1024 * 1024;

/** Values of variables, by name; the only place with a token in clear text. */
export type VariableValues = Readonly<Record<string, unknown>>;

/**
 * The values in a stack's folder, or undefined without a file.
 *
 * @throws ERR_FILE_NOT_OURS if something with that name was not written by this package
 */
export function readValueFile(stackFolder: string): VariableValues | undefined {
  const path = join(stackFolder, VALUE_FILE);
  const stats = writing(path, () => lstatOf(path));
  if (stats === undefined) return undefined;
  const content =
    stats.isFile() && stats.size <= LARGEST_BYTES
      ? parse(writing(path, () => readFileSync(path, "utf8")))
      : undefined;
  if (content === undefined || content["//"] !== NOTE) throw notOurs(path);
  const { "//": _, ...values } = content;
  return values;
}

/**
 * Writes the values, readable only for their owner.
 *
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function writeValueFile(stackFolder: string, values: VariableValues): void {
  readValueFile(stackFolder);
  const path = join(stackFolder, VALUE_FILE);
  const text = `${JSON.stringify({ "//": NOTE, ...values }, null, 2)}\n`;
  const temporary = join(stackFolder, TEMPORARY_FILE);
  writing(path, () => {
    // Of a synthesis that was killed.
    rmSync(temporary, { force: true });
    replaceFile(path, text, 0o600, temporary);
  });
}

/**
 * Removes the file if it is ours.
 *
 * @returns whether there was one
 * @throws ERR_WRITE_FAILED
 */
export function removeValueFile(stackFolder: string): boolean {
  try {
    if (readValueFile(stackFolder) === undefined) return false;
  } catch (error) {
    if (IamTokensError.is(error) && error.code === "ERR_FILE_NOT_OURS") return false;
    throw error;
  }
  const path = join(stackFolder, VALUE_FILE);
  writing(path, () => rmSync(path, { force: true }));
  return true;
}

/**
 * The file's stats, without following links; undefined if there is nothing and can be nothing, for
 * instance because a file is in the place of a parent folder.
 */
function lstatOf(path: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCodeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null
      ? (content as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function notOurs(path: string): IamTokensError {
  return new IamTokensError(
    "ERR_FILE_NOT_OURS",
    `${path} exists, and this package did not write it. It was not changed.`,
  );
}
