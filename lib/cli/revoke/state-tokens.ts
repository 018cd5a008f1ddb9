import { isTable, member, type TerraformJson } from "../../hcl/json";
import { headerNameOf, IamTokensError, TOKEN_KINDS, type TokenKindId } from "../../tokens";

/** A token that may have to be revoked. All of it may come from a file that anybody has written. */
export interface FoundToken {
  /** Where it is, in Terraform's words where these are known. */
  readonly places: readonly string[];
  /** Undefined if that is not known. */
  readonly isStatic: boolean | undefined;
  /** Attributes by their names in a state: token, auth_url, fingerprint, expires_at. */
  readonly attributes: TerraformJson;
}

/**
 * The tokens in a state: wherever its resources hold an object of ours, by its kind, and those that
 * TokenOutputs left in outputs. A token that is there several times is listed once.
 *
 * @param text as in a state file, or from `terraform state pull`
 * @throws ERR_STATE_INVALID
 */
export function tokensInState(place: string, text: string): readonly FoundToken[] {
  const { resources, outputs } = parseState(place, text);
  const tokens = new Map<string, FoundToken & { readonly places: string[] }>();
  const note = (place: string, attributes: TerraformJson, kind: TokenKindId): void => {
    const { token, auth_url } = attributes;
    // One without a value is nobody else's.
    const key = isText(token) ? JSON.stringify([token, auth_url]) : `${tokens.size}`;
    const known = tokens.get(key);
    if (known !== undefined) known.places.push(place);
    else tokens.set(key, { places: [place], isStatic: kind === "static_token", attributes });
  };
  for (const [place, value] of objectsIn(resources)) {
    const kind = TOKEN_KINDS.find((each) => each === value.kind);
    if (kind !== undefined && "token" in value) note(place, value, kind);
  }
  const byValue = new Map([...tokens.values()].map((each) => [each.attributes.token, each]));
  const textIn = (output: string) => member(member(outputs, output), "value");
  for (const name of Object.keys(Object(outputs))) {
    const token = textIn(name);
    const place = `output.${name}`;
    const known = byValue.get(token);
    if (known !== undefined) known.places.push(place);
    // After an incomplete apply, an output has not the token of the resource.
    const [prefix] = /^.*(?=_value$)/s.exec(name) ?? [];
    const header = textIn(`${prefix}_header_name`);
    const kind = TOKEN_KINDS.find((each) => headerNameOf(each) === header);
    const attributes = { token, expires_at: textIn(`${prefix}_expires_at`) };
    if (known === undefined && kind !== undefined && isText(token)) note(place, attributes, kind);
  }
  return [...tokens.values()];
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** All objects with their places. A file may nest them deeper than a function may call itself. */
function* objectsIn(resources: unknown): Generator<readonly [place: string, TerraformJson]> {
  const rest: [string, unknown][] = [["resources", resources]];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const [place, value] = part;
    if (isTable(value)) yield [place, value];
    for (const each of partsOf(place, value).reverse()) rest.push(each);
  }
}

function partsOf(place: string, value: unknown): [string, unknown][] {
  const instances = member(value, "instances");
  if (isTable(value) && Array.isArray(instances)) {
    const { module, mode, type, name } = value;
    const address = [module, mode === "data" ? mode : "", type, name].filter(isText).join(".");
    return instances.map((instance) => {
      const key = member(instance, "index_key");
      const place = key === undefined ? address : `${address}[${JSON.stringify(key)}]`;
      return [place, member(instance, "attributes")];
    });
  }
  // Most values are strings, which hold nothing.
  const parts = Object.entries(Object(value)).filter(([, each]) => typeof each === "object");
  return parts.map(([name, each]) => [
    Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`,
    each,
  ]);
}

/** The JSON of a state. The parser's messages are not passed on: they repeat a part of the text. */
function parseState(place: string, text: string): TerraformJson {
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch {
    state = undefined;
  }
  if (isTable(state) && state.version === 4 && Array.isArray(state.resources)) return state;
  throw new IamTokensError("ERR_STATE_INVALID", `${place} is not a Terraform state of version 4.`, {
    remedy:
      "In the stack's folder: terraform state pull | iam-tokens revoke. Of a saved plan: unzip -p FILE tfstate | iam-tokens revoke.",
  });
}
