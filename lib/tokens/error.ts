import { Brand } from "./brand";
import { defined } from "./defined";
import { ERROR_CODES, type ErrorCode } from "./error-codes";
import { printable } from "./printable";
import { type Spell, type Text, words } from "./words";

/** A possible mistake, where the service gives the same answer to several. */
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
  /** The words of whoever reads it. @default - those of Terraform's language */
  readonly spell?: Spell;
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
 * they are printed.
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
    const [, remedy] = ERROR_CODES[code];
    super(undefined, defined({ cause: details.cause }));
    this.code = code;
    this.parts = { remedy, ...details, fact };
    // Node.js prints the enumerable properties of an uncaught error; these repeat its message.
    for (const name of ["code", "parts"]) Object.defineProperty(this, name, { enumerable: false });
    BRAND.putOn(this);
  }

  /** The fact, what follows it, and the possible causes. */
  get problem(): string {
    return textsOf(this.parts).problem;
  }

  /** What follows the fact, and the possible causes; "" without any. */
  get explanation(): string {
    return textsOf({ ...this.parts, fact: "" }).problem;
  }

  /** The fact, for output that contains only headlines. */
  get headline(): string {
    return textsOf(this.parts).headline;
  }

  get allowed(): string | undefined {
    return textsOf(this.parts).allowed;
  }

  get remedy(): string {
    return textsOf(this.parts).remedy;
  }

  /** Whether it is about variables, files, commands or clouds of this process. */
  get ofProcess(): boolean {
    const { fact, more } = this.parts;
    return words`${fact}${more}`.marked("process").length > 0;
  }

  /** The arguments that the fact names. */
  get settings(): readonly string[] {
    return words`${this.parts.fact}`.marked("argument");
  }

  /** The same error with other parts; those that are not given stay. */
  with(parts: Partial<Parts>): IamTokensError {
    const { fact, ...details } = { ...this.parts, ...parts };
    return new IamTokensError(this.code, fact, details);
  }

  /** The same error with a sentence more. */
  adding(sentence: Text): IamTokensError {
    const { more } = this.parts;
    return this.with({ more: more === undefined ? sentence : words`${more} ${sentence}` });
  }

  static is(value: unknown): value is IamTokensError {
    return BRAND.isOn(value);
  }
}

/** A cause as a sentence. */
export const causeText = ({ text, likely }: Cause): Text =>
  likely === true ? words`Most likely: ${text}` : text;

/** The parts of an error in the words of whoever reads it. */
function textsOf({ fact, more, causes, allowed, remedy, headline = fact, spell }: Parts) {
  // A path, for one, may have any character.
  const say = (text: Text) => printable(text.toString(spell), "lines");
  const list = causes?.map((cause) => `- ${say(causeText(cause))}\n`).join("");
  const why = list && `Possible causes:\n${list}`;
  return {
    problem: [fact, more ?? (list && "The service does not say why."), why]
      .flatMap((text) => (text ? say(text) : []))
      .join(" "),
    allowed: allowed && say(allowed),
    remedy: say(remedy),
    headline: say(headline),
  };
}

// Made when it is read, as its parts are. Not in the class: Error has a property of this name.
Object.defineProperty(IamTokensError.prototype, "message", {
  get(this: IamTokensError) {
    return messageOf(this);
  },
  configurable: true,
});

function messageOf({ code, parts }: IamTokensError): string {
  const { problem, allowed, remedy } = textsOf(parts);
  const text = problem + (allowed === undefined ? "" : ` Allowed: ${allowed}.`);
  // After a list, the next step starts a new line.
  return printable(`${text}${text.endsWith("\n") ? "" : " "}${remedy} [${code}]`, "lines");
}

/** The operation was cancelled, by its caller or by closing the client. */
export function cancelledError(): IamTokensError {
  return new IamTokensError("ERR_CANCELLED", "The request was cancelled.");
}

/** The code of a system error or of Node.js, such as "ENOENT"; undefined without one. */
export function errorCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

const BRAND = new Brand<IamTokensError>("error");

// The bundler renames a class that refers to itself; Node.js prints this name of an uncaught error.
for (const named of [IamTokensError, IamTokensError.prototype])
  Object.defineProperty(named, "name", { value: "IamTokensError" });
