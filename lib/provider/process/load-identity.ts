import { loadPart } from "./load-part";

/**
 * Loads the identity room. Here, and nowhere else: the bundle keeps it in `identity.cjs`, because
 * most launches of the provider never issue a token.
 *
 * @throws ERR_PROVIDER_FILES_MISSING when the file is not there
 */
export function loadIdentity(): typeof import("../../identity") {
  return loadPart(
    "issues tokens",
    () => require("../../identity") as typeof import("../../identity"),
  );
}
