import type { IConstruct } from "constructs";
import { IAM_STATIC_TOKEN } from "../../provider/names";
import {
  type CtyObject,
  type CtyValue,
  type Diagnostic,
  inConstructWords,
  messageOf,
  UNKNOWN,
  validateProviderBlock,
  validateRotatingToken,
  validateStaticToken,
  validateWholeBlock,
} from "../../provider/validators";
import { IamTokensError } from "../../tokens";
import type { BlockArguments } from "../blocks/arguments";
import type { Finding, IdentityRecord, TokenRecord } from "../declarations/registry";
import { isUnresolved } from "../values/checks";

/**
 * What the provider says of the values that the program knows, in the words of the constructs: the
 * rules stand there alone. A value that only Terraform knows is judged when Terraform runs.
 */
export function judged(
  tokens: readonly TokenRecord[],
  identities: readonly IdentityRecord[],
): Finding[] {
  const ofIdentities = identities.flatMap(({ construct, arguments: given, isLookedUp }) =>
    // Without credentials, a block means the environment; a construct means what it says.
    judge(construct, given(asGiven), isLookedUp ? validateProviderBlock : validateWholeBlock),
  );
  const ofTokens = tokens.flatMap((token) => {
    const { construct, blockType, baseUrl } = token;
    // The rules of a rotating token include those of the others, which have no threshold.
    const validate = blockType === IAM_STATIC_TOKEN ? validateStaticToken : validateRotatingToken;
    return judge(construct, { ...token.arguments(asGiven), base_url: baseUrl }, validate);
  });
  return [...ofIdentities, ...ofTokens];
}

/** Paths as the program gives them. */
const asGiven = (path: string) => path;

function judge(
  construct: IConstruct,
  given: BlockArguments,
  validate: (config: CtyObject) => readonly Diagnostic[],
): Finding[] {
  const config = Object.entries(given).map(([name, value]) => [name, asTerraform(value)]);
  const { path } = construct.node;
  let found: readonly Diagnostic[];
  try {
    found = validate(Object.fromEntries(config) as CtyObject);
  } catch (error) {
    // An object, say, which may hold a secret, where a string belongs.
    if (!(error instanceof TypeError)) throw error;
    const problem = `${error.message} (the value is not repeated here).`;
    return [[construct, new IamTokensError("ERR_PROP_INVALID", problem).message]];
  }
  return found.map((each) => [
    construct,
    messageOf(each, (error) => inConstructWords(error, path)),
  ]);
}

/** A value as the provider gets it: unknown where only Terraform knows it. */
function asTerraform(value: unknown): CtyValue {
  if (value === undefined || value === null) return null;
  if (isUnresolved(value)) return UNKNOWN;
  if (Array.isArray(value)) return value.map(asTerraform);
  return value as CtyValue;
}
