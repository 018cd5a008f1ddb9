/** A text of an error, in which words may be marked. */
export type Text = string | Words;

/**
 * What a word is marked as: an argument or the provider block, for which a construct has words of
 * its own; something of this process, such as a variable, a file, a command or a cloud; or a
 * request id.
 */
export type Mark = "argument" | "block" | "process" | "request id";

/** Spells a marked word for whoever reads it. */
export type Spell = (word: string, mark: Mark) => string;

type Part = string | { readonly word: string; readonly mark: Mark };

/** A text with marked words. As a string, it is in the words of Terraform's language. */
export class Words {
  constructor(readonly parts: readonly Part[]) {}

  spelled(spell: Spell): Words {
    return new Words(
      this.parts.map((part) =>
        typeof part === "string" ? part : { ...part, word: spell(part.word, part.mark) },
      ),
    );
  }

  /** The words with this mark. */
  marked(mark: Mark): readonly string[] {
    return this.parts.flatMap((part) =>
      typeof part !== "string" && part.mark === mark ? [part.word] : [],
    );
  }

  /** As the beginning of a sentence. */
  capitalized(): Words {
    const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
    const [first = "", ...rest] = this.parts;
    return new Words([
      typeof first === "string" ? capital(first) : { ...first, word: capital(first.word) },
      ...rest,
    ]);
  }

  toString(): string {
    return this.parts.map((part) => (typeof part === "string" ? part : part.word)).join("");
  }

  toJSON(): string {
    return this.toString();
  }
}

type Value = Text | number | undefined;

/** A text from a template; marked words in it stay marked. */
export function words(strings: readonly string[], ...values: readonly Value[]): Words {
  const partsOf = (value: Value = "") =>
    typeof value === "object" ? value.parts : [String(value)];
  const parts = strings.flatMap((text, index) => [text, ...partsOf(values[index])]);
  return new Words(parts.filter((part) => part !== ""));
}

const marker = (mark: Mark) => (word: string) => new Words([{ word, mark }]);

/** An argument, by its name in Terraform's language: {@link words}`${setting("user_name")} is empty.` */
export const setting = marker("argument");

/** A variable, a file, a command or a cloud: under `iam-tokens run`, those are not Terraform's. */
export const ofProcess = marker("process");

/** A request id, which support needs of one error alone. */
export const requestId = marker("request id");

/** The provider block. */
export const BLOCK = marker("block")("the provider block");
