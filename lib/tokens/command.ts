/** Our command as messages print it: without --no-install, npx runs whoever has a free name on npm. */
export const OWN_COMMAND = "npx --no-install cdktf-iam-tokens";

/** The form of a command, for messages. */
export const COMMAND_FORM = {
  allowed: 'a list of strings, the program first: ["op", "read", "op://ci/deployer/password"]',
  remedy: "Give the program and its arguments as a list, one entry per word; no shell reads them.",
};

/** Why a list is not a program and its arguments; undefined if it is. It is not repeated. */
export function mistakeInCommand([program, ...args]: readonly unknown[]): string | undefined {
  const isText = (part: unknown): part is string =>
    typeof part === "string" && !part.includes("\0");
  if (program === undefined) return "is empty";
  if (!isText(program) || program.trim() === "") return "does not begin with a program";
  if (!args.every(isText)) return "has an element that is null or has a NUL character";
  // Almost certainly a line for a shell.
  return args.length === 0 && /\s/.test(program) && !/[\\/]/.test(program)
    ? "is one string with blanks, not a list of program and arguments"
    : undefined;
}
