import { IamTokensError } from "./error";
import { printable, shortened } from "./printable";

const MAX_LENGTH = 1_000;

/**
 * The error of wrong arguments, in a sentence of its own: the parser's message has a prefix, line
 * breaks and no full stop, and repeats what was given.
 */
export function usageErrorOf(message: string): IamTokensError {
  const problem = message
    .replace(/^error: /, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`;
  const ended = sentence.replace(/[^.?)]$/, "$&.");
  return new IamTokensError("ERR_USAGE", printable(shortened(ended, MAX_LENGTH)));
}
