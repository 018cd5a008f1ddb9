import { IAM_STATIC_TOKEN } from "../../provider/names";
import {
  type CtyObject,
  type CtyValue,
  type Diagnostic,
  inConstructWords,
  missingIn,
  toProviderBlock,
  UNKNOWN,
  validateIamToken,
  validateProviderBlock,
  validateRotatingToken,
  validateStaticToken,
} from "../../provider/validators";
import { codeAtEnd, IamTokensError } from "../../tokens";
import type { BlockArguments } from "../blocks/block";
import type { Finding, IdentityRecord, TokenRecord } from "../declarations/registry";
import { isExpression, quoted } from "../values/checks";
import { TokenResolution } from "../values/token";

/**
 * What the provider says of the values that the program knows, in the words of the constructs: the
 * rules stand there alone. A value that only Terraform knows is judged when Terraform runs.
 */
export function judged(
  tokens: readonly TokenRecord[],
  identities: readonly IdentityRecord[],
): Finding[] {
  return [...identities.flatMap(judgedIdentity), ...tokens.flatMap(judgedToken)];
}

function judgedIdentity({ construct, arguments: given, isLookedUp }: IdentityRecord): Finding[] {
  const { path } = construct.node;
  const { config, mistakes } = configOf(given((file) => file));
  const found = [...mistakes, ...validateProviderBlock(config).map((each) => wordsOf(each, path))];
  // Without credentials, a block means the environment; a construct means what it says.
  const missing = isLookedUp ? undefined : missingIn(toProviderBlock(config).source);
  if (found.length === 0 && missing !== undefined)
    found.push(inConstructWords(missing, path).message);
  return found.map((text) => [construct, text]);
}

function judgedToken(token: TokenRecord) {
  const { construct, blockType, resolution, baseUrl } = token;
  const { config, mistakes } = configOf({ ...token.arguments(), base_url: baseUrl });
  const ofIam = resolution === TokenResolution.ROTATING ? validateRotatingToken : validateIamToken;
  const validate = blockType === IAM_STATIC_TOKEN ? validateStaticToken : ofIam;
  const found = validate(config).map((each) => wordsOf(each, construct.node.path));
  return [...mistakes, ...found].map((text): Finding => [construct, text]);
}

/** The arguments as the provider gets them: unknown where only Terraform knows them. */
function configOf(given: BlockArguments): {
  readonly config: CtyObject;
  readonly mistakes: string[];
} {
  const mistakes: string[] = [];
  const known = (name: string, value: unknown): CtyValue => {
    if (value === undefined || value === null) return null;
    if (isExpression(value)) return UNKNOWN;
    if (Array.isArray(value)) return value.map((each) => known(name, each));
    if (typeof value === "object") return UNKNOWN;
    if (typeof value === "string" || typeof value === "boolean") return value;
    const details = { allowed: "a string" };
    const error = new IamTokensError("ERR_PROP_INVALID", `${name} is ${quoted(value)}.`, details);
    mistakes.push(inConstructWords(error, "the construct").message);
    return UNKNOWN;
  };
  const config = Object.entries(given).map(([name, value]) => [name, known(name, value)]);
  return { config: Object.fromEntries(config) as CtyObject, mistakes };
}

function wordsOf({ summary, detail }: Diagnostic, path: string): string {
  const code = codeAtEnd(summary) ?? "ERR_PROP_INVALID";
  const error = new IamTokensError(code, detail.replaceAll("\n", " "));
  return `${inConstructWords(error, path).problem} [${code}]`;
}
