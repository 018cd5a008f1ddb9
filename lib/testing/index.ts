export type { ClientCertificate } from "./certificates/throw-away-certificate";
export { type ConfigFileOptions, EmbeddedIdentityService } from "./embedded-identity-service";
export type { EmbeddedUser } from "./embedded-user";
export type {
  AnswerFault,
  AnswerPlace,
  BodyFault,
  BreakFault,
  ChunksFault,
  DeliveryFault,
  DripFault,
  ExtraAnswerFault,
  FaultEntry,
  FaultScript,
  FaultsConfig,
  HeaderFault,
  HugeBodyFault,
  IdentityFault,
  InformationalFault,
  LateFault,
  ManyHeadersFault,
  ProtocolFault,
  RandomFaults,
  RateLimit,
  RedirectFault,
  StatusFault,
  TlsFault,
} from "./faults/fault";
export { type RandomScriptOptions, randomFaultScript } from "./faults/random-faults";
export type {
  AccountConfig,
  ControlPanelUserConfig,
  EmbeddedIdentityConfig,
  InProcessIdentityConfig,
  LockoutConfig,
  PermissionConfig,
  ServerCertificateConfig,
  ServiceUserConfig,
} from "./identity/config";
export type { RefusalReason, RequestedScope } from "./identity/directory";
export type { JournalEntry } from "./identity/journal";
export type { TokenDescription } from "./identity/token-register";
export type { EmbeddedIdentityOptions } from "./identity-options";
export { IdentityTwin, type InProcessAnswer, type InProcessRequest } from "./identity-twin";
export { InProcessIdentityService } from "./in-process-identity-service";
export { type LeakFinding, type LeakReport, type LeakScan, scanForLeaks } from "./leak-scanner";
export type { NotScanned } from "./leaks/containers";
export {
  type IdentityMatchers,
  type IssuedExpectation,
  identityMatchers,
  type MatcherResult,
  type RefusedExpectation,
} from "./matchers";
