import { inspect } from "node:util";

const REDACTED = "(sensitive)";

/**
 * A value that must never be printed: a password, a token, a private key.
 *
 * Whatever turns it into text (template strings, `JSON.stringify`, `console.log`, error messages)
 * gets `(sensitive)`; only {@link Secret.reveal} gives the value, so every place that does is found
 * by searching for it.
 *
 * @example
 * const password = Secret.of("…");
 * `${password}`;      // "(sensitive)"
 * password.reveal();  // the value
 */
export class Secret {
  // A true private field: not enumerable, not reachable by inspection or by a serializer.
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  static of(value: string): Secret {
    return new Secret(value);
  }

  /** The value itself. Hand it to the one place that needs it, and keep no copy. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
