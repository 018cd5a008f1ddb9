import { isTable, member, type TerraformJson } from "../../hcl/json";
import { IAM_STATIC_TOKEN, IAM_TOKEN, PROVIDER_SOURCE } from "../../provider/names";
import { headerNameOf, IamTokensError, TOKEN_KINDS } from "../../tokens";

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
 * The tokens in a state: wherever its resources hold an object of ours, and those that TokenOutputs
 * left in outputs. A token that is there several times is listed once.
 *
 * @param text as in a state file, or from `terraform state pull`
 * @throws ERR_STATE_INVALID
 */
export function tokensInState(place: string, text: string): readonly FoundToken[] {
  const { resources, outputs } = parseState(place, text);
  const tokens = new Map<string, FoundToken & { readonly places: string[] }>();
  const note = ({ place, ...found }: Mention): void => {
    const { token, auth_url } = found.attributes;
    // One without a value is nobody else's.
    const key = isText(token) ? JSON.stringify([token, auth_url]) : `${tokens.size}`;
    const known = tokens.get(key);
    if (known === undefined) tokens.set(key, { ...found, places: [place] });
    else known.places.push(place);
  };
  for (const mention of mentionsIn(resources)) note(mention);
  const byValue = new Map([...tokens.values()].map((each) => [each.attributes.token, each]));
  for (const { name, token, own } of outputsOf(outputs)) {
    const found = byValue.get(token) ?? own;
    if (found !== undefined) note({ ...found, place: `output.${name}` });
  }
  return [...tokens.values()];
}

type Mention = Omit<FoundToken, "places"> & { readonly place: string };

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** A part of a state, in the resource of this type if that is one of ours. */
interface Part {
  readonly value: unknown;
  readonly place: string;
  readonly type: string | undefined;
}

/** All objects with a token of ours. A file may nest them deeper than a function may call itself. */
function* mentionsIn(resources: unknown): Generator<Mention> {
  const rest: Part[] = [{ value: resources, place: "resources", type: undefined }];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const { value, place, type } = part;
    const kind = TOKEN_KINDS.find((each) => each === member(value, "kind"));
    // By its kind: from a mirror, the provider may have another address.
    if (isTable(value) && "token" in value && (kind ?? type) !== undefined) {
      const isStatic = kind === "static_token" || type === IAM_STATIC_TOKEN;
      yield { place, isStatic, attributes: value };
    }
    for (const each of partsOf(value, place).reverse()) rest.push(each);
  }
}

function partsOf(value: unknown, place: string): Part[] {
  const instances = member(value, "instances");
  if (isTable(value) && Array.isArray(instances))
    return instances.map((each) => toPart(each, value));
  return Object.entries(Object(value)).flatMap(([name, each]) =>
    // Most values are strings, which hold nothing.
    typeof each === "object"
      ? [
          {
            value: each,
            place: Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`,
            type: undefined,
          },
        ]
      : [],
  );
}

/** The attributes of an instance of a resource, at its address. */
function toPart(instance: unknown, { module, mode, type, name, provider }: TerraformJson): Part {
  const address = [module, mode === "data" ? mode : "", type, name].filter(isText).join(".");
  const isOurs = isText(provider) && provider.includes(`"${PROVIDER_SOURCE}"`);
  const key = member(instance, "index_key");
  return {
    value: member(instance, "attributes"),
    place: key === undefined ? address : `${address}[${JSON.stringify(key)}]`,
    type: [IAM_TOKEN, IAM_STATIC_TOKEN].find((each) => isOurs && each === type),
  };
}

/**
 * The outputs with text. `own`: the token of TokenOutputs, which after an incomplete apply is not
 * that of the resource any more.
 */
function* outputsOf(outputs: unknown) {
  const textOf = (name: string) => member(member(outputs, name), "value");
  for (const name of Object.keys(Object(outputs))) {
    const token = textOf(name);
    const [prefix] = /^.*(?=_value$)/s.exec(name) ?? [];
    const header = textOf(`${prefix}_header_name`);
    const kind = TOKEN_KINDS.find((each) => headerNameOf(each) === header);
    const attributes = { token, expires_at: textOf(`${prefix}_expires_at`) };
    if (isText(token))
      yield { name, token, own: kind && { isStatic: kind === "static_token", attributes } };
  }
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
