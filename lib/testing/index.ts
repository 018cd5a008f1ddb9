export type * from "./config/identity-config";
export { type ConfigFileOptions, EmbeddedIdentityService } from "./embedded-identity-service";
export type { EmbeddedUser } from "./identity/embedded-user";
export type { GithubActionsVariables } from "./identity/github-actions";
export type { JournalEntry, RefusalReason, RequestedScope } from "./identity/journal";
export type { OidcTokenOptions } from "./identity/oidc-issuer";
export {
  type EmbeddedIdentityOptions,
  IdentityTwin,
  type InProcessAnswer,
  InProcessIdentityService,
  type InProcessRequest,
  type TokenDescription,
} from "./identity-twin";
export {
  type Answer,
  bytesOf,
  type Cut,
  type Intercept,
  type InterceptedRequest,
  type Reaction,
  type ServedAnswer,
} from "./intercept";
export { type LeakFinding, type LeakReport, type LeakScan, scanForLeaks } from "./leak-scanner";
export type { NotScanned } from "./leaks/containers";
export {
  type IdentityMatchers,
  type IssuedExpectation,
  identityMatchers,
  type MatcherResult,
  type RefusedExpectation,
} from "./matchers";
export type { ClientCertificate } from "./tls/server-tls";
