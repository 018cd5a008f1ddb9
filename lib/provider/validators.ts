/**
 * The arguments of blocks, and the provider's checks of them, for a caller without Terraform:
 * the constructs at synthesis. The checks are pure functions of a block's arguments: null if
 * missing, {@link UNKNOWN} for an expression. With `declared_by`, messages have the properties of
 * the constructs.
 */
export { type CtyObject, type CtyValue, UNKNOWN } from "../plugin/cty/value";
export type { Diagnostic } from "../plugin/provider";
export { inConstructWords } from "./configuration/construct-words";
export { messageOf } from "./configuration/diagnostics";
export { validateProviderBlock, validateWholeBlock } from "./credentials/provider-block";
export {
  IN_MEMORY_ARGUMENTS,
  KEEPERS,
  ROTATING_ARGUMENTS,
  validateRotatingToken,
} from "./objects/iam-token-arguments";
export { STATIC_TOKEN_ARGUMENTS, validateStaticToken } from "./objects/static-token";
