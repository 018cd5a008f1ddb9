import { Brand } from "./brand";
import { defined } from "./defined";
import { ERROR_CODES, type ErrorCode } from "./error-codes";
import { inert } from "./printable";

/** Further details of an error. */
export interface IamTokensErrorDetails {
  /** Accepted values. */
  readonly allowed?: string;
  /** The next step; by default the code's. */
  readonly remedy?: string;
  /**
   * The fact, for output that contains only headlines. @default - the first sentence of the problem
   */
  readonly headline?: string;
  /**
   * The underlying error, for developers. Never printed by default; must not contain a secret
   * either.
   */
  readonly cause?: unknown;
}

/**
 * The only error class: a stable code, the problem (with the received value, but never a secret),
 * the allowed values, the next step.
 *
 * @example
 * try { … } catch (error) { if (IamTokensError.is(error) && error.code ===
 * "ERR_CREDENTIALS_REJECTED") … }
 */
export class IamTokensError extends Error {
  readonly code: ErrorCode;
  readonly allowed: string | undefined;
  readonly remedy: string;
  /** @internal */
  readonly headline: string | undefined;
  /** The problem, without code, allowed values and remedy. */
  readonly problem: string;

  constructor(code: ErrorCode, problem: string, details: IamTokensErrorDetails = {}) {
    const remedy = details.remedy ?? ERROR_CODES[code].remedy;
    const allowed = details.allowed === undefined ? "" : ` Allowed: ${details.allowed}.`;
    // After a list, the next step starts a new line.
    const gap = problem.endsWith("\n") && allowed === "" ? "" : " ";
    super(
      inert(`${problem}${allowed}${gap}${remedy} [${code}]`),
      defined({ cause: details.cause }),
    );
    this.name = "IamTokensError";
    this.code = code;
    this.problem = problem;
    this.headline = details.headline;
    this.allowed = details.allowed;
    this.remedy = remedy;
    // Node.js prints the other properties of an uncaught error; these repeat its message.
    for (const part of ["code", "problem", "headline", "allowed", "remedy"])
      Object.defineProperty(this, part, { enumerable: false });
    BRAND.putOn(this);
  }

  /** The same error in other words; those that are not given stay. */
  with(words: IamTokensErrorDetails & { readonly problem?: string }): IamTokensError {
    const { headline, allowed, remedy, cause } = this;
    const details = { ...defined({ headline, allowed, remedy, cause }), ...words };
    return new IamTokensError(this.code, words.problem ?? this.problem, details);
  }

  static is(value: unknown): value is IamTokensError {
    return BRAND.isOn(value);
  }
}

/** Between the sentences of a problem. */
export const SENTENCE_BREAK = /(?<=\.)\s+(?=[A-Z"])|\n/;

/** The code at the end of a message, where {@link IamTokensError} writes it. */
export function codeAtEnd(text: string): ErrorCode | undefined {
  const code = /\[(ERR_[A-Z0-9_]+)\]$/.exec(text)?.[1];
  return code !== undefined && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : undefined;
}

/** The code of an error of the system or of Node.js, such as "ENOENT"; undefined without one. */
export function errorCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

const BRAND = new Brand<IamTokensError>("error");

// The bundler renames a class that refers to itself; Node.js prints this name of an uncaught error.
Object.defineProperty(IamTokensError, "name", { value: "IamTokensError" });
