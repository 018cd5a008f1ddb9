import { isTable, member, type TerraformJson } from "../../hcl/json";
import { IAM_STATIC_TOKEN, IAM_TOKEN, PROVIDER_SOURCE } from "../../provider/names";
import { sendable } from "../../provider/objects/stored-token";
import { SENSITIVE } from "../../provider/secrets/known-secrets";
import { headerNameOf, IamTokensError, isWhole, TOKEN_KINDS } from "../../tokens";

/** A token in a state. All of it may come from a file that anybody has written. */
export interface FoundToken {
  /** Where it is, in Terraform's words where these are known; without any token found. */
  readonly places: readonly string[];
  /** Undefined if that is not known. */
  readonly isStatic: boolean | undefined;
  /** Only its form says that it may be a token: no object or header of the state does. */
  readonly onlyByForm: boolean;
  /** Attributes by their names in a state: token, auth_url, fingerprint, expires_at. */
  readonly attributes: TerraformJson;
}

/**
 * The tokens in a state, recognized by what they are, wherever they stand: objects of ours, the
 * values of headers, those that TokenOutputs has written, and strings in the form of a token. One
 * that is there several times is listed once. What is packed, encrypted or encoded is not seen.
 *
 * @param text as in a state file, or from `terraform state pull`
 * @throws ERR_STATE_INVALID
 */
export function tokensInState(place: string, text: string): readonly FoundToken[] {
  const tokens = new Map<string, FoundToken & { readonly places: string[] }>();
  const byValue = new Map<unknown, string[]>();
  const note = (
    place: string,
    attributes: TerraformJson,
    isStatic: boolean | undefined,
    onlyByForm = false,
  ): void => {
    const { token, auth_url } = attributes;
    // One without a value is nobody else's.
    const key = isText(token) ? JSON.stringify([token, auth_url]) : `${tokens.size}`;
    const known = tokens.get(key);
    if (known !== undefined) known.places.push(place);
    else {
      const places = [place];
      tokens.set(key, { places, isStatic, onlyByForm, attributes });
      if (isText(token) && !byValue.has(token)) byValue.set(token, places);
    }
  };
  const strings: Part[] = [];
  /** Those on the way to something, of which each may be a token. */
  const keys = new Set<unknown>();
  const rest = partsOfState(parseState(place, text), keys).reverse();
  // A file may nest them deeper than a function may call itself.
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const { value, place } = part;
    if (typeof value === "string") strings.push(part);
    if (typeof value !== "object" || value === null) continue;
    const own = isTable(value) ? recognized(value, part.type) : undefined;
    if (own !== undefined) note(place, value as TerraformJson, own.isStatic);
    const inToken = own === undefined ? part.inToken : (value as TerraformJson).token;
    for (const [name, each] of Object.entries(value).reverse()) {
      // A key may be one as well.
      if (name.length >= SHORTEST) {
        keys.add(name);
        strings.push({ place, value: name, inToken });
      }
      rest.push({
        place: Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`,
        value: each,
        inToken,
        // A header may have a list of values.
        isStatic: isTable(value) ? isStaticIn(value, name) : part.isStatic,
      });
    }
  }
  // After all objects: they say more of a token than a string does.
  for (const { place, value, inToken, isStatic } of strings) {
    const places = byValue.get(value);
    if (value === inToken || value === "") continue;
    if (places !== undefined) places.push(place);
    else if (isStatic !== undefined) note(place, { token: value }, isStatic);
  }
  const counted = new Set(byValue.keys());
  const forms = new Set(["fernet", ...[...counted].map(formOf)]);
  for (const { place, value, inToken } of strings)
    for (const piece of piecesIn(String(value))) {
      if (piece === value && counted.has(value)) continue;
      if (piece !== inToken && byValue.has(piece)) byValue.get(piece)?.push(place);
      else if (piece !== inToken && forms.has(formOf(piece) ?? ""))
        note(place, { token: piece }, undefined, true);
    }
  const hidden = [...byValue.keys()].filter((token) => keys.has(token)).map(String);
  const shown = (place: string): string =>
    hidden.reduce((text, token) => text.replaceAll(token, SENSITIVE), place);
  return [...tokens.values()].map((each) => ({ ...each, places: each.places.map(shown) }));
}

const SHORTEST = 20;
/** Bounded, as a token is: a file in a state would be too long for an expression. */
const PIECES = new RegExp(`[\\w.~+/-]{${SHORTEST},8192}={0,2}`, "g");

/** What may be a token in a longer string, such as a segment of an address's path. */
function* piecesIn(text: string): Iterable<string> {
  for (const [piece] of text.matchAll(PIECES))
    yield* new Set([piece, ...piece.split(/[/+~]/), ...piece.split(/[/+~.]/)]);
}

/** A value of the state, with what is known from around it. */
interface Part {
  readonly place: string;
  readonly value: unknown;
  /** The type of the resource of ours whose attributes these are. */
  readonly type?: unknown;
  /** The token of the object around it. */
  readonly inToken?: unknown;
  /** Of a string that is a token by its name: whether it is a static one. */
  readonly isStatic?: boolean | undefined;
}

/** The state, with Terraform's words for the places of its resources and outputs. */
function partsOfState({ resources, outputs, ...more }: TerraformJson, keys: Set<unknown>): Part[] {
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
      const key = member(instance, "index_key");
      if (String(isText(key) && key).length >= SHORTEST) keys.add(key);
      const place = key === undefined ? address : `${address}[${JSON.stringify(key)}]`;
      const { attributes, ...around } = isTable(instance) ? instance : { attributes: instance };
      found.push({ place, value: attributes, ...(isOurs && { type }) }, { place, value: around });
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
 * Whether an object is a token of ours: its fingerprint is that of its token; or its kind, its
 * header's name or the type of its resource say so.
 */
function recognized(value: TerraformJson, type: unknown): Pick<FoundToken, "isStatic"> | undefined {
  if (!Object.hasOwn(value, "token")) return undefined;
  const token = sendable(value.token);
  if (token !== undefined && isWhole(token, value.fingerprint)) return { isStatic: false };
  const kind = TOKEN_KINDS.find((each) => each === value.kind) ?? kindOfHeader(value.header_name);
  if (kind !== undefined) return { isStatic: kind === "static_token" };
  const isOurs = type === IAM_TOKEN || type === IAM_STATIC_TOKEN;
  return isOurs ? { isStatic: type === IAM_STATIC_TOKEN } : undefined;
}

const kindOfHeader = (name: unknown) => TOKEN_KINDS.find((each) => headerNameOf(each) === name);

/** Whether a member of a table is a token by its name, and then whether a static one. */
function isStaticIn(table: TerraformJson, name: string): boolean | undefined {
  // cdktf changes the keys of some maps.
  if (/^x[-_]auth[-_]token$/i.test(name)) return false;
  const header = name.endsWith("_value") && member(table, name.replace(/_value$/, "_header_name"));
  const kind = kindOfHeader(header);
  return kind && kind === "static_token";
}

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
