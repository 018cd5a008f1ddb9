export {
  type EmbeddedIdentityOptions,
  EmbeddedIdentityService,
} from "./embedded-identity-service";
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
export type { RefusalReason, RequestedScope } from "./identity/directory";
export type { JournalEntry } from "./identity/journal";
export type {
  AccountConfig,
  ControlPanelUserConfig,
  EmbeddedIdentityConfig,
  PermissionConfig,
  ServerCertificateConfig,
  ServiceUserConfig,
} from "./identity/settings";
export type { TokenDescription } from "./identity/token-register";
export { type LeakFinding, type LeakReport, type LeakScan, scanForLeaks } from "./leak-scanner";
export type { NotScanned } from "./leaks/containers";
