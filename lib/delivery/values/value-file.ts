import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf, IamTokensError } from "../../tokens";
import { replaceFile, writing } from "../write-file";

/**
 * Terraform reads each file of this ending by itself. The name is fixed, so that it can be ignored,
 * and removed when it is stale.
 */
export const VALUE_FILE = "iam-tokens.auto.tfvars.json";

/**
 * What temporary files begin with, before the id of the process that writes them: not the ending
 * above, or Terraform would read half of one.
 */
export const TEMPORARY_PREFIX = ".iam-tokens-values-";

/** Terraform ignores this key, as everywhere in its JSON. By it we know a file of ours. */
const NOTE =
  "Tokens, written by cdktf-iam-tokens. Do not commit or upload; the next synthesis replaces or removes this file.";

/** No file of ours is larger: hundreds of tokens, each of 8 KiB. */
const LARGEST_BYTES = 16 * 1024 * 1024;

/** Values of variables, by name; the only place where a token is in clear. */
export type VariableValues = Readonly<Record<string, unknown>>;

/**
 * The values in a stack's folder, or undefined when there is no file.
 *
 * @throws ERR_FILE_NOT_OURS when there is something of that name that this package has not written
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
 * Writes the values for their owner alone.
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
 * Removes the file, when it is ours.
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
 * Removes what a synthesis that was killed in the middle of writing has left: a file with tokens in
 * it, that nobody would miss. What a synthesis writes that still runs, beside this one, stays: its
 * file's name begins with its process id.
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
 * What is there, links not followed; undefined when nothing is, nor can be: a file may stand in the
 * place of a folder above it.
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

/** A name that nothing has yet, by which it is known whose it is when it is left behind. */
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

/** Another process of this id: this one has nothing half written when it gets here. */
function isRunning(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of another user's process it is said that it is there, and not ours to signal.
    return errorCodeOf(error) === "EPERM";
  }
}

function notOurs(path: string): IamTokensError {
  return new IamTokensError(
    "ERR_FILE_NOT_OURS",
    `${path} is there, and this package has not written it. It was left untouched.`,
  );
}
