import { closeSync, existsSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTable, type TerraformJson } from "../hcl/json";
import { errorCodeOf, IamTokensError, printable } from "../tokens";
import {
  makeFolders,
  namesIn,
  persistently,
  readJson,
  readText,
  replaceFile,
  statsAt,
  unusedPath,
  writing,
} from "./files";

/**
 * Terraform reads every file with this suffix by itself. The name is fixed, so that it can be
 * ignored, and removed when it is stale.
 */
export const VALUE_FILE = "iam-tokens.auto.tfvars.json";

/**
 * The name under which it is written first, before six random bytes, because another synthesis may
 * write too. It is not *.auto.tfvars.json: Terraform would read half a file.
 */
export const TEMPORARY_FILE = ".iam-tokens-values-";

const temporaryIn = (stackFolder: string) => unusedPath(join(stackFolder, TEMPORARY_FILE));

/** Removes those of a synthesis that was killed: they hold tokens. */
function removeTemporary(stackFolder: string): void {
  for (const name of namesIn(stackFolder))
    if (name.startsWith(TEMPORARY_FILE)) rmSync(join(stackFolder, name), { force: true });
}

/** Terraform ignores this key, as everywhere in its JSON. It marks a file of ours. */
const NOTE =
  "Tokens, written by cdktf-iam-tokens. Do not commit or upload; the next synthesis replaces or removes this file.";

/** Values of variables, by name; the only place with a token in clear text. */
export type VariableValues = TerraformJson;

/**
 * The values in a stack's folder, or undefined without a file.
 *
 * @throws ERR_FILE_NOT_OURS if something with that name was not written by this package
 */
export function readValueFile(stackFolder: string): VariableValues | undefined {
  const path = join(stackFolder, VALUE_FILE);
  const values = writing(path, () => ownValues(path));
  if (values !== null) return values;
  throw new IamTokensError(
    "ERR_FILE_NOT_OURS",
    `${printable(path)} exists, and is not a readable file of this package. It was not changed.`,
  );
}

/**
 * Opens the file before a request to a service: no file of the user has its name, and the folder is
 * writable. Only creating a file proves this. Nothing but the folder is left behind.
 *
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function tryValueFile(stackFolder: string): void {
  readValueFile(stackFolder);
  const path = temporaryIn(stackFolder);
  writing(stackFolder, () => {
    makeFolders(stackFolder);
    closeSync(openSync(path, "wx", 0o600));
    rmSync(path, { force: true });
  });
}

/**
 * Writes the values of a stack's variables next to it, readable only for their owner; without any,
 * removes those of an earlier synthesis, if they are ours.
 *
 * @returns false if the file is written and Git may not ignore it
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function deliverValues(stackFolder: string, values: VariableValues | undefined): boolean {
  const path = join(stackFolder, VALUE_FILE);
  if (values !== undefined) readValueFile(stackFolder);
  return writing(stackFolder, () => {
    removeTemporary(stackFolder);
    if (values === undefined) {
      if (ownValues(path) == null) return true;
      // "force": another synthesis may remove them at the same time.
      rmSync(path, { force: true });
      const gitIgnore = join(stackFolder, ".gitignore");
      if (readText(gitIgnore) === GIT_IGNORE) rmSync(gitIgnore, { force: true });
      return true;
    }
    makeFolders(stackFolder);
    // First: Git must never see the values.
    const ignored = isIgnored(stackFolder);
    const text = `${JSON.stringify({ "//": NOTE, ...values }, null, 2)}\n`;
    persistently(
      () => replaceFile(path, text, 0o600, temporaryIn(stackFolder)),
      // Another synthesis has removed it before it had its name.
      (error) => errorCodeOf(error) === "ENOENT",
    );
    return ignored;
  });
}

/**
 * Removes the values in other stacks' folders: of stacks without tokens of ours, where no code of
 * ours runs, or of stacks that no longer exist.
 *
 * @param stacks the folder of the stacks' folders
 * @param kept names of the stacks whose values may stay
 * @throws ERR_WRITE_FAILED
 */
export function sweepValues(stacks: string, kept: readonly string[]): void {
  // If case is ignored, the folder of "web" may still be named "Web".
  const names = new Set(kept.map((name) => name.toLowerCase()));
  if (!existsSync(stacks)) return;
  for (const entry of readdirSync(stacks, { withFileTypes: true }))
    if (entry.isDirectory() && !names.has(entry.name.toLowerCase()))
      deliverValues(join(stacks, entry.name), undefined);
}

/** Undefined without a file; null if it is not ours. Links are not followed. */
function ownValues(path: string): VariableValues | undefined | null {
  const stats = statsAt(path);
  if (stats === undefined) return undefined;
  const json = stats.isFile() && readJson(path);
  if (!isTable(json)) return null;
  const { "//": note, ...values } = json;
  return note === NOTE ? values : null;
}

const GIT_IGNORE = `# Written by cdktf-iam-tokens: the file holds tokens.
/${VALUE_FILE}
/${TEMPORARY_FILE}*
`;

/** A line that ignores the file. There are others; for these, the warning is unnecessary. */
const COVERS =
  /^[ \t]*(?:\/?\*|\/?iam-tokens\.auto\.tfvars\.json|\*(?:\.auto)?\.tfvars\.json)[ \t\r]*$/m;

/**
 * Keeps the file out of Git, even in a project that does not ignore its output folder. Whether Git
 * ignores it, as far as this can be known: a `.gitignore` of the user is not changed.
 */
function isIgnored(stackFolder: string): boolean {
  const path = join(stackFolder, ".gitignore");
  if (statsAt(path) === undefined) writeFileSync(path, GIT_IGNORE, { flag: "wx" });
  return COVERS.test(String(readText(path)));
}
