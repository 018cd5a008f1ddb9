export { createHclog, type HclogOptions, logLevelOf } from "./hclog";
export type { ProviderSource } from "./plugin-server";
export {
  type AttachedOptions,
  type AttachedServer,
  type ReattachConfig,
  serveAttached,
} from "./serve-attached";
export { type LaunchedOptions, serveLaunched } from "./serve-launched";
export { PluginStartError } from "./start-error";
export { descriptorSink, type TextSink } from "./text-sink";
