import { defined } from "./defined";
import { ERROR_CODES, type ErrorCode } from "./error-codes";

/** What an error may say beside its message. */
export interface IamTokensErrorDetails {
  /** What would have been accepted. */
  readonly allowed?: string;
  /** The next step; by default that of the code. */
  readonly remedy?: string;
  /** The fact, for where headlines stand alone. @default - the first sentence of the problem */
  readonly headline?: string;
  /** Why, for developers. It is never printed by itself, and must hold no secret either. */
  readonly cause?: unknown;
}

/**
 * The one error class: a stable code, what was wrong (with the value received, never a secret),
 * what is allowed, the next step.
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
  /** What was wrong, without code, allowed values and remedy. */
  readonly problem: string;

  constructor(code: ErrorCode, problem: string, details: IamTokensErrorDetails = {}) {
    const remedy = details.remedy ?? ERROR_CODES[code].remedy;
    const allowed = details.allowed === undefined ? "" : ` Allowed: ${details.allowed}.`;
    // After a list the next step begins a line.
    const gap = problem.endsWith("\n") && allowed === "" ? "" : " ";
    super(`${problem}${allowed}${gap}${remedy} [${code}]`, defined({ cause: details.cause }));
    this.name = "IamTokensError";
    this.code = code;
    this.problem = problem;
    this.headline = details.headline;
    this.allowed = details.allowed;
    this.remedy = remedy;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /**
   * By a brand and not by instanceof: each bundle has this class, and two copies of the package may
   * be in one process.
   */
  static is(value: unknown): value is IamTokensError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/** The code at the end of a message, where {@link IamTokensError} writes it. */
export function codeAtEnd(text: string): ErrorCode | undefined {
  const code = /\[(ERR_[A-Z0-9_]+)\]$/.exec(text)?.[1];
  return code !== undefined && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : undefined;
}

/** The code of an error of the system or of Node.js, as "ENOENT"; undefined without one. */
export function errorCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

const BRAND = Symbol.for("cdktf-iam-tokens/error");
