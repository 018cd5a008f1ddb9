export type { IAuthenticationToken } from "./constructs/authentication-token";
export { EmbeddedProvider, type KeepForProps } from "./constructs/embedded-provider";
export {
  IdentityService,
  type IdentityServiceProps,
  type ServiceUser,
} from "./constructs/identity-service";
export type {
  IdentityServiceLookupOptions,
  IdentityServiceOptions,
} from "./constructs/identity-service-options";
export { MayManage } from "./constructs/may-manage";
export { ProductArea, ProductAreas, tokenKindsFor } from "./constructs/product-area";
export { RotationHook, type RotationHookProps } from "./constructs/rotation-hook";
export { RotationSchedule, type RotationScheduleOptions } from "./constructs/rotation-schedule";
export { SecretRef } from "./constructs/secret-ref";
export { ServiceUserPermission } from "./constructs/service-user-permission";
export { ServiceUserToken, type ServiceUserTokenProps } from "./constructs/service-user-token";
export { StaticTokenRef, type StaticTokenRefProps } from "./constructs/static-token-ref";
export { TokenKind } from "./constructs/token-kind";
export { TokenOutputs, type TokenOutputsProps } from "./constructs/token-outputs";
export { TokenResolution } from "./constructs/token-resolution";
export { TokenRotation, type TokenRotationProps } from "./constructs/token-rotation";
export { TokenScope } from "./constructs/token-scope";
export { WriteOnlyArguments } from "./constructs/write-only-arguments";
export type { ProgressStream, ResolveTokensOptions } from "./resolution/options";
export { resolveTokens } from "./resolution/resolve-tokens";
export type { ResolvedTokens } from "./resolution/resolved-tokens";
