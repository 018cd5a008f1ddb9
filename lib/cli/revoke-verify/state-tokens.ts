import { isTable, type TerraformJson } from "../../hcl/json";
import { sendable } from "../../provider/objects/stored-token";
import { headerNameOf, isWhole, TOKEN_KINDS, TOKEN_LENGTH } from "../../tokens";

/** A token in a state. All of it may come from a file that anybody has written. */
export interface FoundToken {
  /** The resources and outputs that have it. */
  readonly places: readonly string[];
  /** Undefined if no object of the state says that it is a token, but only its form. */
  readonly isStatic: boolean | undefined;
  /** Attributes by their names in a state: token, auth_url, fingerprint, expires_at. */
  readonly attributes: TerraformJson;
}

/** Keystone's usual form (Fernet: a version and a time), which needs no escape in any JSON. */
const FERNET = new RegExp(`gAAAA[\\w-]{90,${TOKEN_LENGTH}}={0,2}`, "g");
/** The value of a header, also in JSON in a string; cdktf changes the keys of some maps. */
const HEADER = /x[-_]auth[-_]token\\*"\s*:\s*(?:\[\s*)?\\*"([^"\\]+)/gi;

/**
 * The tokens in a state, recognized by what they are, wherever they stand, also in JSON in a
 * string: objects of ours, values of a header X-Auth-Token, and what has Keystone's form. What is
 * packed, encrypted or encoded otherwise is not seen.
 */
export function tokensInState({ resources, outputs, ...more }: TerraformJson) {
  const found = new Map<unknown, Omit<FoundToken, "places"> & { readonly places: Set<string> }>();
  const note = (place: string, attributes: TerraformJson, isStatic?: boolean) => {
    const { token, auth_url } = attributes;
    // Objects without a token are separate findings.
    const key = token ? JSON.stringify([token, auth_url]) : found.size;
    const one = found.get(key) ?? { attributes, isStatic, places: new Set() };
    one.places.add(place);
    found.set(key, one);
    if (token && !known.has(token)) known.set(token, one.places);
  };
  const known = new Map<unknown, Set<string>>();
  const parts: readonly (readonly [place: string, value: unknown])[] = [
    ...(resources as unknown[]).map((each) => [addressOf(Object(each)), each] as const),
    ...Object.entries(Object(outputs)).map(([name, each]) => [`output.${name}`, each] as const),
    ["state", more],
  ];
  // Objects first: they say more of a token than its form does.
  for (const [place, value] of parts)
    for (const each of objectsIn(value)) note(place, each, isStaticToken(each));
  for (const [place, value] of parts) {
    const text = JSON.stringify(value);
    for (const [form, token = form] of [...text.matchAll(FERNET), ...text.matchAll(HEADER)])
      known.get(token)?.add(place) ?? note(place, { token });
  }
  return [...found.values()].map((each): FoundToken => ({ ...each, places: [...each.places] }));
}

const addressOf = ({ module, mode, type, name }: TerraformJson): string =>
  [module, mode === "data" && mode, type, name].filter((each) => each && `${each}`).join(".");

/** The objects that are tokens of ours. */
function objectsIn(value: unknown): readonly TerraformJson[] {
  const objects: TerraformJson[] = [];
  const look = (_: string, each: unknown): unknown => {
    if (typeof each === "string" && /^\s*[[{]/.test(each))
      try {
        JSON.parse(each, look);
      } catch {
        // Any other text.
      }
    if (isTable(each) && isStaticToken(each) !== undefined) objects.push(each);
    return each;
  };
  JSON.stringify(value, look);
  return objects;
}

/**
 * Whether an object that is a token of ours is a static one: its fingerprint is that of its token;
 * or its kind or its header's name say so. Undefined for another object.
 */
function isStaticToken(value: TerraformJson): boolean | undefined {
  if (!Object.hasOwn(value, "token")) return undefined;
  const token = sendable(value.token);
  if (token !== undefined && isWhole(token, value.fingerprint)) return false;
  const kind = TOKEN_KINDS.find(
    (each) => each === value.kind || headerNameOf(each) === value.header_name,
  );
  return kind && kind === "static_token";
}
