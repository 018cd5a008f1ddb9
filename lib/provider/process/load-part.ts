import { errorCodeOf, IamTokensError } from "../../tokens";
import type { ProcessContext } from "./process-context";

/**
 * Loads a part of the provider that the build puts into a separate file.
 *
 * @param does the purpose of the part, for the message
 * @param load calls `require` with a literal path, which the bundler looks for. Not import():
 * TypeScript then demands a file extension that no test runner here resolves.
 * @throws ERR_PROVIDER_FILES_MISSING if the file does not exist
 */
export function loadPart<T>(does: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (errorCodeOf(error) !== "MODULE_NOT_FOUND") throw error;
    throw new IamTokensError(
      "ERR_PROVIDER_FILES_MISSING",
      `The provider's file that ${does} is missing from its folder.`,
      { remedy: "Synthesize the stack again: that writes the provider's files." },
    );
  }
}

/**
 * More steps than undici's parser ever takes. It is WebAssembly, and V8 would spend 100 ms of a
 * processor on optimizing its largest function, for a handful of answers.
 */
const TIERING_BUDGET = 1_000_000_000;

/**
 * Loads the identity room as a whole. That is loaded only here: the build puts it into
 * `identity.cjs`, because most launches of the provider never issue a token. Single modules of it
 * without network (`cache/cache.ts`) may be imported.
 *
 * @throws ERR_PROVIDER_FILES_MISSING if the file does not exist
 */
export function loadIdentity({
  isOurs,
}: Pick<ProcessContext, "isOurs">): typeof import("../../identity") {
  return loadPart("issues tokens", () => {
    if (isOurs) {
      // At the start, which Terraform waits for, node:v8 would take 2 ms.
      const { setFlagsFromString } = require("node:v8") as typeof import("node:v8");
      setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
    }
    return require("../../identity") as typeof import("../../identity");
  });
}
