export { isLoopbackHost, parseUrl } from "./address";
export { type AuthUrl, mayBeAt, parseAuthUrl, parseSharedAuthUrl } from "./auth-url";
export { assertDestination, type BaseUrl, parseBaseUrl } from "./base-url";
export { defined } from "./defined";
export {
  formatApart,
  formatDuration,
  formatExact,
  parseDuration,
  parseMinRemaining,
  parseRetryFor,
} from "./duration";
export {
  type Cause,
  errorCodeOf,
  IamTokensError,
  type IamTokensErrorDetails,
} from "./error";
export { ERROR_CODES, type ErrorCode } from "./error-codes";
export { fingerprintOf, isWhole } from "./fingerprint";
export { canBeIssued, ISSUING_RULES, type PermissionArea } from "./issuing-rules";
export {
  assertName,
  assertProjectName,
  assertSegment,
  foldedName,
  isSameName,
  isVariableName,
} from "./name";
export { abridged, escaped, inert, printable, quote, shortened } from "./printable";
export {
  isProductArea,
  mayManage,
  PRODUCT_AREAS,
  type ProductAreaId,
  tokenKindsFor,
} from "./product-area";
export { fromRfc3339, toRfc3339 } from "./rfc3339";
export { Secret } from "./secret";
export { SHARED_VARIABLES, STOPS_USING, withheld } from "./shared-variables";
export {
  headerNameOf,
  IAM_TOKEN_LIFETIME_MS,
  KIND_OF_SCOPE,
  TOKEN_DETAILS,
  TOKEN_KINDS,
  type TokenKindId,
} from "./token-kind";
export { usageErrorOf } from "./usage-error";
export { BLOCK, ofProcess, setting, type Text, type Words, words } from "./words";
