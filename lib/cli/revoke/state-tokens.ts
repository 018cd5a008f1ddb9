import { isTable, type TerraformJson, tablesIn } from "../../hcl/json";
import { IAM_STATIC_TOKEN, IAM_TOKEN, PROVIDER_SOURCE } from "../../provider/names";
import { headerNameOf, IamTokensError, TOKEN_KINDS } from "../../tokens";

/** A token that may have to be revoked. All of it may come from a file that anybody has written. */
export interface FoundToken {
  /** Where it is, in Terraform's words. */
  readonly places: readonly string[];
  /** Undefined if that is not known. */
  readonly isStatic: boolean | undefined;
  /** Attributes by their names in a state: token, auth_url, issued_at, expires_at. */
  readonly attributes: TerraformJson;
}

/**
 * The tokens in a state: of resources and data sources, in all modules and instances, also deposed
 * ones; and those that TokenOutputs left in outputs. A token that is there several times is listed
 * once.
 *
 * @param text as in a state file, or from `terraform state pull`
 * @throws ERR_STATE_INVALID
 */
export function tokensInState(place: string, text: string): readonly FoundToken[] {
  const state = parseState(place, text);
  const tokens = new Map<string, FoundToken>();
  const note = (found: FoundToken): void => {
    const { token, auth_url } = found.attributes;
    const key = JSON.stringify([token, auth_url]);
    const known = isText(token) ? tokens.get(key) : undefined;
    const places = [...(known?.places ?? []), ...found.places];
    // One without a value is nobody else's.
    tokens.set(isText(token) ? key : `${tokens.size}`, { ...found, places });
  };
  tablesIn(state.resources).flatMap(tokensOfResource).forEach(note);
  const byValue = new Map([...tokens.values()].map((each) => [each.attributes.token, each]));
  for (const { name, token, own } of outputsOf(state)) {
    const found = byValue.get(token) ?? own;
    if (found !== undefined) note({ ...found, places: [`output.${name}`] });
  }
  return [...tokens.values()];
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function tokensOfResource(resource: TerraformJson): readonly FoundToken[] {
  const { type, name, module, mode, provider } = resource;
  if (type !== IAM_TOKEN && type !== IAM_STATIC_TOKEN) return [];
  const isOurs = typeof provider === "string" && provider.includes(`"${PROVIDER_SOURCE}"`);
  const parts = [module, mode === "data" ? mode : undefined, type, name];
  const address = parts.filter(isText).join(".");
  return tablesIn(resource.instances).flatMap(({ index_key: key, deposed, attributes }) => {
    const values = isTable(attributes) ? attributes : {};
    // From a mirror, it may have another address.
    if (!isOurs && !TOKEN_KINDS.some((kind) => kind === values.kind)) return [];
    const index = key === undefined ? "" : `[${JSON.stringify(key)}]`;
    const old = isText(deposed) ? ` (deposed object ${deposed})` : "";
    return {
      places: [`${address}${index}${old}`],
      isStatic: type === IAM_STATIC_TOKEN,
      attributes: values,
    };
  });
}

/**
 * The outputs with text. `own`: the token of TokenOutputs, which after an incomplete apply is not
 * that of the resource any more.
 */
function* outputsOf({ outputs }: TerraformJson) {
  const values = new Map(
    Object.entries(isTable(outputs) ? outputs : {}).map(([name, output]): [string, unknown] => [
      name,
      isTable(output) ? output.value : undefined,
    ]),
  );
  for (const [name, token] of values) {
    if (!isText(token)) continue;
    const prefix = /^(.*)_value$/s.exec(name)?.[1];
    const header = values.get(`${prefix}_header_name`);
    const expires_at = values.get(`${prefix}_expires_at`);
    const kind = TOKEN_KINDS.find((each) => headerNameOf(each) === header);
    const own =
      prefix === undefined || kind === undefined || typeof expires_at !== "string"
        ? undefined
        : { isStatic: kind === "static_token", attributes: { token, expires_at } };
    yield { name, token, own };
  }
}

/** The JSON of a state. The parser's messages are not passed on: they repeat a part of the text. */
function parseState(place: string, text: string): TerraformJson {
  const refuse = (problem: string, next?: string): never => {
    throw new IamTokensError(
      "ERR_STATE_INVALID",
      `${place} ${problem}.`,
      next === undefined ? {} : { remedy: `${next} | iam-tokens revoke` },
    );
  };
  if (text.startsWith("PK\u0003\u0004"))
    return refuse(
      "is a ZIP archive, as a saved plan is",
      "Read the state in it: unzip -p FILE tfstate",
    );
  if (text.trim() === "") return refuse("is empty");
  const state = tableOf(text) ?? refuse("is not JSON, or not an object");
  const pulled = (program: string) => `In the folder of the stack: ${program} state pull`;
  if ("encrypted_data" in state) return refuse("is encrypted by OpenTofu", pulled("tofu"));
  if ("format_version" in state) return refuse("is the output of show -json", pulled("terraform"));
  if (state.version === 4 && Array.isArray(state.resources)) return state;
  return refuse(
    typeof state.version === "number" && state.version !== 4
      ? `is of version ${state.version} of Terraform's states, and this command reads version 4`
      : "is JSON, but not a Terraform state",
  );
}

function tableOf(text: string): TerraformJson | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isTable(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
