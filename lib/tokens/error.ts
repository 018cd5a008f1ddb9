import { Brand } from "./brand";
import { defined } from "./defined";
import { ERROR_CODES, type ErrorCode } from "./error-codes";
import { inert } from "./printable";
import { type Mark, type Spell, type Text, type Words, words } from "./words";

/** What may be wrong, where the service gives the same answer to all of it. */
export interface Cause {
  readonly text: Text;
  /** Whether there is evidence for it. @default false */
  readonly likely?: boolean;
}

/** Further parts of an error. */
export interface IamTokensErrorDetails {
  /** The sentences after the fact. */
  readonly more?: Text;
  /** Possible causes, in order. */
  readonly causes?: readonly Cause[];
  /** Accepted values. */
  readonly allowed?: Text;
  /** The next step; by default the code's. */
  readonly remedy?: Text;
  /** A shorter fact, for output that contains only headlines. @default - the fact */
  readonly headline?: Text;
  /**
   * The underlying error, for developers. Never printed by default; must not contain a secret
   * either.
   */
  readonly cause?: unknown;
}

/** All parts of an error. */
interface Parts extends IamTokensErrorDetails {
  readonly fact: Text;
  readonly remedy: Text;
}

/**
 * The only error class: a stable code, the fact (with the received value, but never a secret), the
 * allowed values, the next step. They are data, in which {@link Words} mark the settings, until
 * whoever prints the error spells them.
 *
 * @example
 * try { … } catch (error) { if (IamTokensError.is(error) && error.code ===
 * "ERR_CREDENTIALS_REJECTED") … }
 */
export class IamTokensError extends Error {
  readonly code: ErrorCode;
  /** @internal */
  readonly parts: Parts;

  /** @param fact a sentence; a headline, if it is not long */
  constructor(code: ErrorCode, fact: Text, details: IamTokensErrorDetails = {}) {
    const parts = { remedy: ERROR_CODES[code].remedy, ...details, fact };
    const allowed = parts.allowed === undefined ? "" : ` Allowed: ${parts.allowed}.`;
    const text = `${problemOf(parts)}${allowed}`;
    // After a list, the next step starts a new line.
    const gap = text.endsWith("\n") ? "" : " ";
    super(inert(`${text}${gap}${parts.remedy} [${code}]`), defined({ cause: details.cause }));
    this.name = "IamTokensError";
    this.code = code;
    this.parts = parts;
    // Node.js prints the other properties of an uncaught error; these repeat its message.
    for (const name of ["code", "parts"]) Object.defineProperty(this, name, { enumerable: false });
    BRAND.putOn(this);
  }

  /** The fact, what follows it, and the possible causes. */
  get problem(): string {
    return problemOf(this.parts);
  }

  /** The fact, for output that contains only headlines. */
  get headline(): string {
    const { fact, headline = fact } = this.parts;
    return headline.toString();
  }

  get allowed(): string | undefined {
    return this.parts.allowed?.toString();
  }

  get remedy(): string {
    return this.parts.remedy.toString();
  }

  /** The words with this mark in the fact and what follows it. */
  marked(mark: Mark): readonly string[] {
    const { fact, more = "" } = this.parts;
    return [fact, more].flatMap((text) => (typeof text === "string" ? [] : text.marked(mark)));
  }

  /** Whether it names variables, files, commands or clouds of this process. */
  get ofProcess(): boolean {
    return this.marked("process").length > 0;
  }

  /** The same error with other parts; those that are not given stay. */
  with(parts: IamTokensErrorDetails & { readonly fact?: Text }): IamTokensError {
    const { fact, ...details } = { ...this.parts, ...parts };
    return new IamTokensError(this.code, fact, details);
  }

  /** The same error with a sentence more. */
  adding(sentence: Text): IamTokensError {
    const { more } = this.parts;
    return this.with({ more: more === undefined ? sentence : words`${more} ${sentence}` });
  }

  /** The same error in the words of whoever reads it. */
  spelled(spell: Spell): IamTokensError {
    const { fact, more, causes, allowed, remedy, headline } = this.parts;
    const each = (text: Text) => (typeof text === "string" ? text : text.spelled(spell));
    return this.with({
      fact: each(fact),
      remedy: each(remedy),
      ...defined({
        more: more && each(more),
        causes: causes?.map((cause) => ({ ...cause, text: each(cause.text) })),
        allowed: allowed && each(allowed),
        headline: headline && each(headline),
      }),
    });
  }

  static is(value: unknown): value is IamTokensError {
    return BRAND.isOn(value);
  }
}

/** A cause as a sentence. */
export const causeText = ({ text, likely }: Cause): Text =>
  likely === true ? words`Most likely: ${text}` : text;

function problemOf({ fact, more, causes }: Parts): string {
  const sentences = more === undefined ? String(fact) : `${fact} ${more}`;
  if (causes === undefined) return sentences;
  const list = causes.map((cause) => `- ${causeText(cause)}\n`).join("");
  return `${sentences} The service does not say why. Possible causes:\n${list}`;
}

/** The code of an error of the system or of Node.js, such as "ENOENT"; undefined without one. */
export function errorCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

const BRAND = new Brand<IamTokensError>("error");

// The bundler renames a class that refers to itself; Node.js prints this name of an uncaught error.
Object.defineProperty(IamTokensError, "name", { value: "IamTokensError" });
