export type { IAuthenticationToken } from "./constructs/authentication-token";
export type {
  ApplicationCredential,
  Federation,
  IdentityServiceProps,
  ServiceUser,
} from "./constructs/credentials/identity-service-options";
export { IdentityService } from "./constructs/identity-service";
export {
  RotationSchedule,
  type RotationScheduleOptions,
} from "./constructs/rotation/rotation-schedule";
export { RotationHook, type RotationHookProps } from "./constructs/rotation-hook";
export { ServiceUserToken, type ServiceUserTokenProps } from "./constructs/service-user-token";
export { StaticTokenRef, type StaticTokenRefProps } from "./constructs/static-token-ref";
export { TokenOutputs, type TokenOutputsProps } from "./constructs/token-outputs";
export {
  type EphemeralOptions,
  type ResolutionOptions,
  type RotatingOptions,
  type SynthOptions,
  TokenResolution,
} from "./constructs/token-resolution";
export { TokenRotation, type TokenRotationProps } from "./constructs/token-rotation";
export { ProductArea } from "./constructs/values/product-area";
export { SecretRef } from "./constructs/values/secret-ref";
export { TokenKind, TokenScope } from "./constructs/values/token";
export { resolveTokens } from "./resolution/resolve-tokens";
export type { ResolvedTokens } from "./resolution/resolved-tokens";
export { SynthTokens, type SynthTokensProps } from "./resolution/synth-tokens";
