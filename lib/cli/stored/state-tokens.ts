import { isTable, member, type TerraformJson } from "../../hcl/json";
import { IAM_STATIC_TOKEN, IAM_TOKEN, PROVIDER_SOURCE } from "../../provider/names";
import { sendable } from "../../provider/objects/stored-token";
import { SENSITIVE } from "../../provider/secrets/known-secrets";
import { headerNameOf, IamTokensError, isWhole, TOKEN_KINDS } from "../../tokens";

/** A token in a state. All of it may come from a file that anybody has written. */
export interface FoundToken {
  /** Where it is, in Terraform's words where these are known; without any token found. */
  readonly places: readonly string[];
  /** Undefined if no object or header of the state says that it is a token, but only its form. */
  readonly isStatic: boolean | undefined;
  /** Attributes by their names in a state: token, auth_url, fingerprint, expires_at. */
  readonly attributes: TerraformJson;
}

/**
 * The tokens in a state, recognized by what they are, wherever they stand, also in JSON in a
 * string: objects of ours, the values of headers, those that TokenOutputs has written, and strings
 * in the form of a token. One that is there several times is listed once. What is packed, encrypted
 * or encoded otherwise is not seen.
 *
 * @param text as in a state file, or from `terraform state pull`
 * @throws ERR_STATE_INVALID
 */
export function tokensInState(place: string, text: string): readonly FoundToken[] {
  const tokens = new Map<string, Omit<FoundToken, "places"> & { readonly places: Set<string> }>();
  /** The places of the first token with a value. */
  const byValue = new Map<unknown, Set<string>>();
  const note = (place: string, attributes: TerraformJson, isStatic?: boolean): void => {
    const { token, auth_url } = attributes;
    // One without a value is nobody else's.
    const key = isText(token) ? JSON.stringify([token, auth_url]) : `${tokens.size}`;
    const found = tokens.get(key) ?? { attributes, isStatic, places: new Set() };
    tokens.set(key, found);
    found.places.add(place);
    if (isText(token) && !byValue.has(token)) byValue.set(token, found.places);
  };
  const parts = [...partsIn(parseState(place, text))];
  for (const { place, value, isStatic } of parts) if (isTable(value)) note(place, value, isStatic);
  // After all objects: they say more of a token than a string does.
  const strings = parts.filter(({ value }) => isText(value));
  for (const { place, value, isStatic } of strings)
    if (isStatic !== undefined && !byValue.has(value)) note(place, { token: value }, isStatic);
  const forms = new Set(["fernet", ...[...byValue.keys()].map(formOf)]);
  for (const { place, value, inToken } of strings)
    for (const piece of new Set([value, ...piecesIn(String(value))])) {
      if (piece === inToken) continue;
      if (byValue.has(piece)) byValue.get(piece)?.add(place);
      else if (forms.has(formOf(piece) ?? "")) note(place, { token: piece });
    }
  const keys = strings.filter(({ value, isKey }) => isKey && byValue.has(value));
  const hidden = [...new Set(keys.map(({ value }) => String(value)))];
  const shown = (place: string): string =>
    hidden.reduce((text, token) => text.replaceAll(token, SENSITIVE), place);
  return [...tokens.values()].map((each) => ({ ...each, places: [...each.places].map(shown) }));
}

const SHORTEST = 20;
/** Bounded, as a token is: a file in a state would be too long for an expression. */
const PIECES = new RegExp(`[\\w.~+/-]{${SHORTEST},8192}={0,2}`, "g");

/** Possible tokens in a longer string, such as a segment of an address's path. */
function* piecesIn(text: string): Iterable<string> {
  for (const [piece] of text.matchAll(PIECES))
    yield* [piece, ...piece.split(/[/+~]/), ...piece.split(/[/+~.]/)];
}

/** A value of the state, with what is known from around it. */
interface Part {
  readonly place: string;
  readonly value: unknown;
  /** The type of the resource of ours whose attributes these are. */
  readonly type?: unknown;
  /** The token of the object around it. */
  readonly inToken?: unknown;
  /** Of an object that is a token, or a string that is one by its name: whether a static one. */
  readonly isStatic?: boolean | undefined;
  /** It is on the way to other parts, and thus in their places. */
  readonly isKey?: true;
}

/** All strings: values, and keys; and the objects that are tokens of ours. */
function* partsIn(state: TerraformJson): Iterable<Part> {
  const rest = partsOfState(state).reverse();
  // A file may nest them deeper than a function may call itself.
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const { place, value, type } = part;
    if (typeof value === "string") {
      yield part;
      rest.push({ ...part, value: jsonIn(value) });
    }
    if (typeof value !== "object" || value === null) continue;
    const table = isTable(value) ? value : undefined;
    const isStatic = table && isStaticToken(table, type);
    if (isStatic !== undefined) yield { place, value, isStatic };
    const inToken = isStatic === undefined ? part.inToken : table?.token;
    for (const [name, each] of Object.entries(value).reverse()) {
      rest.push({
        place: table ? `${place}.${name}` : `${place}[${name}]`,
        value: each,
        inToken,
        // A header may have a list of values.
        isStatic: table ? isStaticIn(table, name) : part.isStatic,
      });
      if (name.length >= SHORTEST) rest.push({ place, value: name, inToken, isKey: true });
    }
  }
}

/** A list or an object; undefined for any other string. */
function jsonIn(text: string): unknown {
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The state, with Terraform's words for the places of its resources and outputs. */
function partsOfState({ resources, outputs, ...more }: TerraformJson): Part[] {
  const found: Part[] = [];
  for (const [index, resource] of (resources as unknown[]).entries()) {
    const instances = member(resource, "instances");
    if (!isTable(resource) || !Array.isArray(instances)) {
      found.push({ place: `resources[${index}]`, value: resource });
      continue;
    }
    const { module, mode, type, name, provider, instances: _, ...others } = resource;
    const address = [module, mode === "data" ? mode : "", type, name].filter(isText).join(".");
    const isOurs = String(isText(provider) && provider).includes(PROVIDER_SOURCE);
    for (const instance of instances) {
      const given: TerraformJson = isTable(instance) ? instance : { attributes: instance };
      const { attributes, index_key: key, ...around } = given;
      const place = key === undefined ? address : `${address}[${JSON.stringify(key)}]`;
      found.push(
        { place, value: attributes, type: isOurs && type },
        { place, value: key, isKey: true },
        { place, value: around },
      );
    }
    found.push({ place: address, value: others });
  }
  const values = isTable(outputs)
    ? Object.entries(outputs).map(([name, output]) => [name, member(output, "value") ?? output])
    : [];
  return [
    ...found,
    { place: "output", value: Object.fromEntries(values) },
    { place: "state", value: more },
  ];
}

/**
 * Whether an object that is a token of ours is a static one: its fingerprint is that of its token;
 * or its kind, its header's name or the type of its resource say so. Undefined for another object.
 */
function isStaticToken(value: TerraformJson, type: unknown): boolean | undefined {
  if (!Object.hasOwn(value, "token")) return undefined;
  const token = sendable(value.token);
  if (token !== undefined && isWhole(token, value.fingerprint)) return false;
  const kind = TOKEN_KINDS.find((each) => each === value.kind) ?? kindOfHeader(value.header_name);
  if (kind !== undefined) return kind === "static_token";
  const isOurs = type === IAM_TOKEN || type === IAM_STATIC_TOKEN;
  return isOurs ? type === IAM_STATIC_TOKEN : undefined;
}

const kindOfHeader = (name: unknown) => TOKEN_KINDS.find((each) => headerNameOf(each) === name);

/** Whether a member of a table is a token by its name, and then whether a static one. */
function isStaticIn(table: TerraformJson, name: string): boolean | undefined {
  // Next to its name, whatever the members are called.
  const isNamed = name === "value" && Object.values(table).some(isIamHeader);
  if (isNamed || isIamHeader(name)) return false;
  const header = name.endsWith("_value") && member(table, name.replace(/_value$/, "_header_name"));
  const kind = kindOfHeader(header);
  return kind && kind === "static_token";
}

/** cdktf changes the keys of some maps. */
const isIamHeader = (name: unknown): boolean =>
  typeof name === "string" && /^x[-_]auth[-_]token$/i.test(name);

/**
 * Keystone's forms: Fernet begins with its version and a time, and a JWS with the same header in
 * each of its tokens.
 */
function formOf(token: unknown): string | undefined {
  if (typeof token !== "string" || token.length > 8192) return undefined;
  if (/^gAAAA[\w-]{90,}={0,2}$/.test(token)) return "fernet";
  return /^(eyJ[\w-]+)\.[\w-]+\.[\w-]+$/.exec(token)?.[1];
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

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
