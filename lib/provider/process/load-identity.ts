import type { ProcessContext } from "./process-context";

/**
 * More steps than undici's parser ever takes. It is WebAssembly, and V8 would spend 100 ms of a
 * processor on optimizing its largest function, for a handful of answers.
 */
const TIERING_BUDGET = 1_000_000_000;

/**
 * Loads the identity room as a whole. That is loaded only here: the build puts it into
 * `identity.cjs`, because most launches of the provider never issue a token. Single modules of it
 * without network may be imported.
 *
 * Not by import(): TypeScript then demands a file extension that no test runner here resolves.
 */
export function loadIdentity({
  isOurs,
}: Pick<ProcessContext, "isOurs">): typeof import("../../identity") {
  if (isOurs) {
    // At the start, which Terraform waits for, node:v8 would take 2 ms.
    const { setFlagsFromString } = require("node:v8") as typeof import("node:v8");
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  }
  return require("../../identity") as typeof import("../../identity");
}
