import { type HclBody, type HclValue, parseHcl } from "../../hcl/body";
import { isTable, member, type TerraformJson } from "../../hcl/json";

/**
 * A template replaces each value that only Terraform can compute, as in its JSON.
 */
export function fromHcl(text: string): TerraformJson | undefined {
  const body = parseHcl(text);
  if (body === undefined) return undefined;
  const json: TerraformJson = {};
  for (const { type, labels, body: inner } of body.blocks)
    put(json, [type, ...labels], toJson(inner));
  return json;
}

/** Merges another configuration of the same folder into the first. */
export function mergeInto(target: TerraformJson, more: TerraformJson): void {
  for (const [name, value] of Object.entries(more)) {
    const there = member(target, name);
    if (there === undefined) set(target, name, value);
    else if (isTable(there) && isTable(value)) mergeInto(there, value);
    else set(target, name, [there, value].flat());
  }
}

/** Each block is an element of a list, because there may be others with the same labels. */
function put(
  json: TerraformJson,
  [name = "", ...labels]: readonly string[],
  value: TerraformJson,
): void {
  mergeInto(
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

/** Names come from a file: `__proto__` is an ordinary one. */
function set(table: TerraformJson, name: string, value: unknown): TerraformJson {
  return Object.defineProperty(table, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
