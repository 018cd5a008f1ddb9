import { type HclBody, type HclValue, parseHcl } from "../../hcl/body";

/** A configuration in the shape of Terraform's JSON. */
export type TerraformJson = { [name: string]: unknown };

/**
 * What stands in the place of a value that only Terraform can compute is a template, as in its
 * JSON.
 */
export function fromHcl(text: string): TerraformJson | undefined {
  const body = parseHcl(text);
  if (body === undefined) return undefined;
  const json: TerraformJson = {};
  for (const { type, labels, body: inner } of body.blocks)
    put(json, [type, ...labels], toJson(inner));
  return json;
}

/** Puts a second configuration of the same folder to the first. */
export function addTo(target: TerraformJson, more: TerraformJson): void {
  for (const [name, value] of Object.entries(more)) {
    const there = own(target, name);
    if (there === undefined) set(target, name, value);
    else if (isTable(there) && isTable(value)) addTo(there, value);
    else set(target, name, [there, value].flat());
  }
}

/**
 * A table, or the tables of a list: blocks that may stand more than once are both in Terraform's
 * JSON.
 */
export function tablesIn(value: unknown): readonly TerraformJson[] {
  return (Array.isArray(value) ? value : [value]).filter(isTable);
}

/** A member of its own: `constructor` is none. */
export function own(table: unknown, name: string): unknown {
  return isTable(table) && Object.hasOwn(table, name) ? table[name] : undefined;
}

export function isTable(value: unknown): value is TerraformJson {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Each block is one of a list, as there may be another of the same labels. */
function put(
  json: TerraformJson,
  [name = "", ...labels]: readonly string[],
  value: TerraformJson,
): void {
  addTo(
    json,
    set(
      {},
      name,
      labels.reduceRight<unknown>((inner, label) => set({}, label, inner), [value]),
    ),
  );
}

function toJson({ attributes, blocks }: HclBody): TerraformJson {
  const json: TerraformJson = {};
  for (const [name, value] of attributes) set(json, name, toValue(value));
  for (const { type, labels, body } of blocks) put(json, [type, ...labels], toJson(body));
  return json;
}

function toValue(value: HclValue): unknown {
  if (typeof value === "string" || Array.isArray(value)) return value;
  return "expression" in value ? `\${${value.expression}}` : toJson(value as HclBody);
}

/** Names come from a file: `__proto__` is one like any other. */
function set(table: TerraformJson, name: string, value: unknown): TerraformJson {
  return Object.defineProperty(table, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
