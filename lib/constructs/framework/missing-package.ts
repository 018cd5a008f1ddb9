import { errorCodeOf } from "../../tokens";

/**
 * Whether loading a package failed because that package is not installed. Alternatively, one of its
 * dependencies is missing; Node.js has the same code for both, and names the package.
 */
export function isMissingPackage(error: unknown, name: string): boolean {
  return (
    errorCodeOf(error) === "MODULE_NOT_FOUND" &&
    error instanceof Error &&
    (error.message.split("\n", 1)[0] ?? "").includes(`'${name}'`)
  );
}
