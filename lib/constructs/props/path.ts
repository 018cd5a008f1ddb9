/** What a path may be, for messages. */
export const PATH_ALLOWED =
  "a path, absolute or relative to the folder in which the program is synthesized, without control characters (a ~ is not expanded)";

/**
 * Whether a value can be the path of a file. A `~` is the shell's: written here it would be a
 * folder of that name.
 */
export function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/[\p{Cc}\p{Cs}]|^~(?:\/|$)/u.test(value);
}
