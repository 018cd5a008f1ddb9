export { type AuthUrl, isLoopbackHost, parseAuthUrl } from "./auth-url";
export { assertDestination, type BaseUrl, parseBaseUrl } from "./base-url";
export { defined } from "./defined";
export { formatDuration, formatExact, parseDuration } from "./duration";
export { IamTokensError, type IamTokensErrorDetails } from "./error";
export { errorCodeOf } from "./error-code-of";
export { ERROR_CODES, type ErrorCode } from "./error-codes";
export { fingerprintOf } from "./fingerprint";
export { type AskedScope, canBeIssued, ISSUING_RULES, type PermissionArea } from "./issuing-rules";
export { assertName, NAME_MAX_LENGTH, quote } from "./name";
export { parseUrl } from "./parse-url";
export { printable } from "./printable";
export {
  type Answer,
  isProductArea,
  mayManage,
  PRODUCT_AREAS,
  type ProductAreaId,
  tokenKindsFor,
} from "./product-area";
export { fromRfc3339, toRfc3339 } from "./rfc3339";
export { Secret } from "./secret";
export {
  headerNameOf,
  IAM_TOKEN_LIFETIME_MS,
  KIND_OF_SCOPE,
  TOKEN_KINDS,
  type TokenKindId,
} from "./token-kind";
