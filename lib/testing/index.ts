export type * from "./config/identity-config";
export {
  type Answer,
  bytesOf,
  type Cut,
  type Intercept,
  type InterceptedRequest,
  type Reaction,
  type ServedAnswer,
} from "./intercept";
export type { JournalEntry, RefusalReason, RequestedScope } from "./keystone/journal";
export { type LeakFinding, type LeakReport, type LeakScan, scanForLeaks } from "./leak-scanner";
export type { NotScanned } from "./leaks/pieces";
export type { EmbeddedIdentityOptions } from "./options";
export { EmbeddedIdentityService } from "./service";
