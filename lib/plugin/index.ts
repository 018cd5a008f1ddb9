/**
 * Serves a Terraform provider that is written in TypeScript. It knows nothing of tokens: any
 * provider can be served.
 */
export {
  CtyError,
  type CtyObject,
  type CtyPath,
  type CtyType,
  type CtyValue,
  Decimal,
  UNKNOWN,
} from "./cty";
export { cleanEnvironment, type LauncherOptions, launcherScript, mainScript } from "./launcher";
export type {
  Applied,
  AppliedChange,
  AttributePath,
  AttributeSchema,
  BlockSchema,
  DataSource,
  Diagnostic,
  EphemeralResource,
  Log,
  LogLevel,
  ManagedResource,
  Opened,
  OperationContext,
  Plan,
  PlannedChange,
  Provider,
  Stored,
} from "./provider";
export {
  type AttachedOptions,
  type AttachedServer,
  createHclog,
  descriptorSink,
  type HclogOptions,
  type LaunchedOptions,
  logLevelOf,
  PluginStartError,
  type ProviderSource,
  type ReattachConfig,
  serveAttached,
  serveLaunched,
  type TextSink,
} from "./server";
