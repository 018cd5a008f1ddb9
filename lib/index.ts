export type { IAuthenticationToken } from "./constructs/authentication-token";
export { EmbeddedProvider, type KeepForProps } from "./constructs/embedded-provider";
export { IdentityService, type IdentityServiceProps, type ServiceUser } from "./constructs/identity-service";
export { RotationSchedule, type RotationScheduleOptions } from "./constructs/rotation-schedule";
export { SecretRef } from "./constructs/secret-ref";
export { ServiceUserToken, type ServiceUserTokenProps } from "./constructs/service-user-token";
export { StaticTokenRef, type StaticTokenRefProps } from "./constructs/static-token-ref";
export { TokenKind } from "./constructs/token-kind";
export { TokenOutputs, type TokenOutputsProps } from "./constructs/token-outputs";
export { TokenResolution } from "./constructs/token-resolution";
export { TokenScope } from "./constructs/token-scope";
<<<<<<< HEAD
export { WriteOnlyArguments } from "./constructs/write-only-arguments";
=======
export type { ProgressStream, ResolveTokensOptions } from "./resolution/options";
export { resolveTokens } from "./resolution/resolve-tokens";
export type { ResolvedTokens } from "./resolution/resolved-tokens";
>>>>>>> a1859b8 (resolution: synth. resolveTokens issues before synthesis; variables and an owner-only file beside the stack)
