import { errorCodeOf, IamTokensError } from "../../tokens";

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
