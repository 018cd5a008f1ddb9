/**
 * Bytes that are not a message. The text says what is wrong with their form and never what they
 * hold.
 */
export class MalformedMessageError extends Error {
  constructor(problem: string) {
    super(`malformed message: ${problem}`);
    this.name = "MalformedMessageError";
  }
}
