import { IamTokensError } from "../tokens";
import { systemCodeOf } from "./foreign-error";

/**
 * Loads the identity room. Here, and nowhere else: the bundle keeps that room in a file of its own (`identity.cjs`), because
 * most launches of the provider never issue a token, and need not pay for reading HTTP client and schemas.
 *
 * @throws ERR_PROVIDER_FILES_MISSING when the file is not there
 */
export function loadIdentity(): typeof import("../identity") {
  try {
    // Not import(): under module node16 TypeScript demands a file extension in it that no test runner here resolves.
    return require("../identity") as typeof import("../identity");
  } catch (error) {
    if (systemCodeOf(error) !== "MODULE_NOT_FOUND") throw error;
    throw new IamTokensError("ERR_PROVIDER_FILES_MISSING", "The part of the provider that issues tokens is not beside it.", {
      remedy: "Synthesize the stack again; it lays the provider's files out anew.",
    });
  }
}
