import { isTable, member, type TerraformJson } from "../../hcl/json";
import { IAM_STATIC_TOKEN, IAM_TOKEN, PROVIDER_SOURCE } from "../../provider/names";
import { sendable } from "../../provider/objects/stored-token";
import { SENSITIVE } from "../../provider/secrets/known-secrets";
import { headerNameOf, isWhole, TOKEN_KINDS, TOKEN_LENGTH } from "../../tokens";

/** A token in a state. All of it may come from a file that anybody has written. */
export interface FoundToken {
  /** Where it is, in Terraform's words where these are known; without any token. */
  readonly places: readonly string[];
  /** Undefined if no object or header of the state says that it is a token, but only its form. */
  readonly isStatic: boolean | undefined;
  /** Attributes by their names in a state: token, auth_url, fingerprint, expires_at. */
  readonly attributes: TerraformJson;
}

/**
 * The tokens in a state, recognized by what they are, wherever they stand, also in JSON in a
 * string: objects of ours, the values of headers, those that TokenOutputs has written, and what has
 * Keystone's form, inside any string. One that is there several times is listed once. What is
 * packed, encrypted or encoded otherwise is not seen.
 */
export function tokensInState(state: TerraformJson): readonly FoundToken[] {
  const tokens = new Map<string, Omit<FoundToken, "places"> & { readonly places: Set<string> }>();
  /** For each token, the places of the finding that had it first. */
  const known = new Map<unknown, Set<string>>();
  const headers = new Set<string | undefined>();
  const note = ({ place, isStatic }: Part, attributes: TerraformJson) => {
    const { token, auth_url } = attributes;
    // Objects without a token are separate findings.
    const key = isText(token) ? JSON.stringify([token, auth_url]) : `${tokens.size}`;
    const found = tokens.get(key) ?? { attributes, isStatic, places: new Set() };
    tokens.set(key, found);
    found.places.add(place);
    if (!isText(token) || known.has(token)) return;
    known.set(token, found.places);
    headers.add(/^eyJ[\w-]+(?=\.)/.exec(token)?.[0]);
  };
  const [objects, named, others]: [Part[], Part[], Part[]] = [[], [], []];
  for (const part of partsIn(state))
    (isTable(part.value) ? objects : part.isStatic !== undefined ? named : others).push(part);
  // Objects first, then names: they say more of a token than its form does.
  for (const part of objects) note(part, part.value as TerraformJson);
  for (const part of [...named, ...others]) {
    const { value, place, inToken } = part;
    const isOne = part.isStatic !== undefined || known.has(value);
    for (const token of isOne ? [value] : formsIn(`${value}`, headers))
      if (token !== inToken) known.get(token)?.add(place) ?? note(part, { token });
  }
  const shown = (place: string) =>
    place.replaceAll(PIECES, (piece) =>
      known.has(piece) || KEYSTONES.test(piece) ? SENSITIVE : piece,
    );
  return [...tokens.values()].map((each) => ({ ...each, places: [...each.places].map(shown) }));
}

/** Bounded, as a token is: a file in a state would be too long for an expression. */
const ALL = `{1,${TOKEN_LENGTH}}`;
/** Fernet, which begins with its version and a time; or a JWS. */
const FORM = new RegExp(
  `gAAAA[\\w-]{89}[\\w-]${ALL}={0,2}|(?=(\\.[\\w-]${ALL}\\.[\\w-]${ALL}))(?<=(eyJ[\\w-]{1,500}?))`,
  "g",
);

/** Keystone's forms, wherever in a string. All JWS of one Keystone have the same header. */
function* formsIn(text: string, headers: ReadonlySet<string | undefined>): Iterable<string> {
  for (const [fernet, rest, header] of text.matchAll(FORM))
    if (fernet !== "") yield fernet;
    else if (headers.has(header)) yield `${header}${rest}`;
}

/** A key in a place that is as long as a token, or contains such a part. */
const PIECES = new RegExp(
  `eyJ[\\w-]{9,500}(\\.[\\w-]${ALL}){2}|[\\w~+/-]{19}[\\w~+/-]${ALL}={0,2}`,
  "g",
);
const KEYSTONES = /gAAAA[\w-]{90}|^eyJ.+\./;

/** A value of the state, with what is known from around it. */
interface Part {
  readonly place: string;
  readonly value: unknown;
  /** The type of the resource of ours whose attributes these are. */
  readonly type?: unknown;
  /** The token of the object around it. */
  readonly inToken?: unknown;
  /** Whether it is a static token; for objects that are tokens, and strings named as one. */
  readonly isStatic?: boolean | undefined;
}

/** Shorter keys contain no token. */
const SHORTEST = 20;

/** All strings: values, and keys; and the objects that are tokens of ours. */
function* partsIn(state: TerraformJson): Iterable<Part> {
  const rest = [...partsOfState(state)].reverse();
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
      if (name.length >= SHORTEST) rest.push({ place, value: name, inToken });
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
function* partsOfState({ resources, outputs, ...more }: TerraformJson): Iterable<Part> {
  for (const resource of resources as unknown[]) {
    const { instances, ...others } = isTable(resource) ? resource : { instances: [resource] };
    const { module, mode, type, name, provider } = others;
    const address = [module, mode === "data" && mode, type, name].filter(isText).join(".");
    const isOurs = isText(provider) && provider.includes(PROVIDER_SOURCE);
    for (const instance of [instances, others].flat()) {
      const given: TerraformJson = isTable(instance) ? instance : { attributes: instance };
      const { attributes, ...around } = given;
      const key = given.index_key;
      const place = key === undefined ? address : `${address}[${JSON.stringify(key)}]`;
      yield { place, value: attributes, type: isOurs && type };
      yield { place, value: around };
    }
  }
  const values: TerraformJson = {};
  const rests = Object.entries(isTable(outputs) ? outputs : { outputs }).map(([name, output]) => {
    const { value, ...rest } = isTable(output) ? output : { value: output };
    values[name] = value;
    return rest;
  });
  yield { place: "output", value: values };
  yield { place: "state", value: { ...more, outputs: rests } };
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

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
