import { readdirSync } from "node:fs";
import { isAbsolute, join, posix, resolve } from "node:path";
import type { TerraformStack } from "cdktf";
import { readText } from "../../delivery/read-text";
import { parseHcl } from "../../hcl/body";
import { member } from "../../hcl/json";
import { copiedBy } from "../framework/internals";

/** Far above what people write. */
const LIMIT_BYTES = 1024 * 1024;

/** Where synthesis finds a module's files. */
export interface ModulePlace {
  readonly stack: TerraformStack;
  /** In which Terraform will run. */
  readonly stackFolder: string;
}

/**
 * Whether a local module declares a variable with `ephemeral = true`.
 *
 * @param source as Terraform will read it
 * @returns undefined if this is unknown: for a module from elsewhere, for one that cannot be read
 * completely, or that has no such variable
 */
export function isEphemeralVariable(
  source: unknown,
  name: string,
  place: ModulePlace,
): boolean | undefined {
  const folder = typeof source === "string" ? folderOf(source, place) : undefined;
  if (folder === undefined) return undefined;
  const given = declarationsIn(folder, name);
  if (given === undefined || given.length === 0) return undefined;
  // Override files do not mention values that they leave unchanged.
  const valid = given.findLast((value) => value !== undefined) ?? false;
  return valid === "unknown" ? undefined : valid;
}

/**
 * The value of `ephemeral` that an override file in a folder gives to a variable; undefined if none
 * gives any. Terraform merges such files over `cdk.tf.json`.
 */
export function overriddenEphemeral(folder: string, name: string): boolean | undefined {
  const given = declarationsIn(folder, name, isOverride) ?? [];
  return given.findLast((value) => typeof value === "boolean");
}

/** The folder of the files: cdktf copies them next to the stack only when it writes the stack. */
function folderOf(source: string, { stack, stackFolder }: ModulePlace): string | undefined {
  if (isAbsolute(source)) return source;
  if (!/^\.\.?\//.test(source)) return undefined;
  for (const asset of stack.node.findAll()) {
    const copied = copiedBy(asset);
    if (copied === undefined) continue;
    const inside = posix.relative(copied.to, source);
    if (inside !== ".." && !inside.startsWith("../")) return resolve(copied.from, inside);
  }
  return join(stackFolder, source);
}

/** The value of `ephemeral` in each declaration; undefined if it has none. */
type Ephemerality = boolean | "unknown" | undefined;

/** Those of override files are once more at the end, where Terraform merges them by their names. */
function declarationsIn(
  folder: string,
  name: string,
  isRead: (file: string) => boolean = () => true,
): readonly Ephemerality[] | undefined {
  try {
    const files = readdirSync(folder).filter((file) => /^[^.#].*\.tf(?:\.json)?$/.test(file));
    const overriding = files.filter(isOverride).sort();
    return [...files.filter(isRead), ...overriding].flatMap((file) => {
      const text = readText(join(folder, file), LIMIT_BYTES);
      if (text === undefined) throw new Error("a file that cannot be read");
      return file.endsWith(".json") ? inJson(JSON.parse(text), name) : inHcl(text, name);
    });
  } catch {
    return undefined;
  }
}

function isOverride(file: string): boolean {
  return /^(?:.*_)?override\.tf/.test(file);
}

function inHcl(text: string, name: string): readonly Ephemerality[] {
  const body = parseHcl(text);
  if (body === undefined) throw new SyntaxError("no HCL");
  return body.blocks
    .filter(({ type, labels }) => type === "variable" && labels[0] === name)
    .map(({ body: { attributes } }) => {
      const value = attributes.get("ephemeral");
      if (value === undefined) return undefined;
      const written = typeof value === "object" && "expression" in value ? value.expression : value;
      return written === "true" ? true : written === "false" ? false : "unknown";
    });
}

function inJson(file: unknown, name: string): readonly Ephemerality[] {
  const blocks = listOf(file).flatMap((each) => listOf(member(each, "variable")));
  const declared = blocks.flatMap((each) => listOf(member(each, name)));
  return declared.map((each) => {
    const value = member(each, "ephemeral");
    return value === undefined || typeof value === "boolean" ? value : "unknown";
  });
}

/** In Terraform's JSON, a single block may be a list with one element. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
