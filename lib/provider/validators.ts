/**
 * The provider's checks of a block, for a caller without Terraform: the constructs at synthesis.
 * All are pure functions of the block's arguments: null if missing, {@link UNKNOWN} for an
 * expression. With `declared_by`, messages have the properties of the constructs.
 */
export { type CtyObject, type CtyValue, UNKNOWN } from "../plugin/cty/value";
export type { Diagnostic } from "../plugin/provider";
export { inConstructWords } from "./configuration/construct-words";
export { messageOf, toDiagnostic } from "./configuration/diagnostics";
export {
  inWordsOfBlock,
  missingIn,
  toProviderBlock,
  validateProviderBlock,
} from "./credentials/provider-block";
export { validateRotatingToken } from "./objects/iam-token-arguments";
export { validateStaticToken } from "./objects/static-token";
