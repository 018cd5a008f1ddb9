import { inspect } from "node:util";

const REDACTED = "(sensitive)";

/**
 * A value that must never be printed: a password, a token, a private key.
 *
 * Every conversion to a string (template strings, `JSON.stringify`, `console.log`, error messages)
 * gives `(sensitive)`. Only {@link Secret.reveal} returns the value, so a search for it finds every
 * use.
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

  /** The value itself. Pass it to the one place that needs it, and keep no copy. */
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
