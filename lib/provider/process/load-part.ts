import { errorCodeOf, IamTokensError } from "../../tokens";

/**
 * Loads a part of the provider that the bundle keeps in a file of its own.
 *
 * @param does what the part does, for the message
 * @param load by `require` with a literal path, which the bundler looks for. Not import(): there
 *   TypeScript demands a file extension that no test runner here resolves.
 * @throws ERR_PROVIDER_FILES_MISSING when the file is not there
 */
export function loadPart<T>(does: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (errorCodeOf(error) !== "MODULE_NOT_FOUND") throw error;
    throw new IamTokensError(
      "ERR_PROVIDER_FILES_MISSING",
      `The part of the provider that ${does} is not beside it.`,
      { remedy: "Synthesize the stack again; it lays the provider's files out anew." },
    );
  }
}
