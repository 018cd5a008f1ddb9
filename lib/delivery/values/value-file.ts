import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf, IamTokensError } from "../../tokens";
import { replaceFile, writing } from "../write-file";

/**
 * Terraform reads every file with this suffix by itself. The name is fixed, so that it can be
 * ignored, and removed when it is stale.
 */
export const VALUE_FILE = "iam-tokens.auto.tfvars.json";

/**
 * Prefix of temporary files, before the id of the process that writes them: without the suffix
 * above, with which Terraform would read half a file.
 */
export const TEMPORARY_PREFIX = ".iam-tokens-values-";

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
  writing(path, () => replaceFile(path, text, 0o600, temporaryFileIn(stackFolder)));
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
 * Removes files that a synthesis left when it was killed while writing: they contain tokens, and
 * nobody would notice them. Files of another running synthesis stay: their names begin with its
 * process id.
 *
 * @throws ERR_WRITE_FAILED
 */
export function removeLeftOvers(stackFolder: string): void {
  for (const name of namesIn(stackFolder)) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue;
    if (isRunning(Number.parseInt(name.slice(TEMPORARY_PREFIX.length), 10))) continue;
    const path = join(stackFolder, name);
    writing(path, () => rmSync(path, { force: true }));
  }
}

/**
 * The file's stats, without following links; undefined if there is nothing and can be nothing, for
 * instance because a file is in the place of a parent folder.
 */
export function lstatOf(path: string): ReturnType<typeof lstatSync> {
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

/** An unused name that contains its owner's process id, for a file that is left behind. */
export function temporaryFileIn(folder: string): string {
  return join(folder, `${TEMPORARY_PREFIX}${process.pid}-${randomBytes(8).toString("hex")}`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Another process with this id: this one has no unfinished file at this point. */
function isRunning(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // For another user's process, the error says that it exists but must not be signalled.
    return errorCodeOf(error) === "EPERM";
  }
}

function notOurs(path: string): IamTokensError {
  return new IamTokensError(
    "ERR_FILE_NOT_OURS",
    `${path} exists, and this package did not write it. It was not changed.`,
  );
}
