/** A sentence of an error, in which words may be marked. */
export type Text = string | Words;

/**
 * The mark of a word: an argument or the provider block, for which a construct has words of its
 * own; something of this process, such as a variable, a file, a command or a cloud; or a request id.
 */
type Mark = "argument" | "block" | "process" | "request id";

interface Marked {
  readonly word: string;
  readonly mark: Mark;
}

type Part = string | Marked;

/** Spells a marked word for whoever reads it. */
export type Spell = (marked: Marked) => string;

/** A string with marked words. Without another spelling, they are those of Terraform's language. */
export class Words {
  constructor(readonly parts: readonly Part[]) {}

  /** The words with this mark. */
  marked(mark: Mark): readonly string[] {
    return this.parts.flatMap((part) =>
      typeof part !== "string" && part.mark === mark ? [part.word] : [],
    );
  }

  without(mark: Mark): Words {
    return new Words(this.parts.filter((part) => typeof part === "string" || part.mark !== mark));
  }

  /** With its first word as that of a sentence, if that is marked. */
  capitalized(): Words {
    const [first, ...others] = this.parts;
    if (typeof first !== "object") return this;
    const word = first.word.charAt(0).toUpperCase() + first.word.slice(1);
    return new Words([{ ...first, word }, ...others]);
  }

  toString(spell: Spell = ({ word }) => word): string {
    return this.parts.map((part) => (typeof part === "string" ? part : spell(part))).join("");
  }
}

type Value = Text | number | undefined;

/** The tag of a template in which {@link Words} keep their marks. */
export function words(strings: readonly string[], ...values: readonly Value[]): Words {
  const partsOf = (value: Value = "") =>
    typeof value === "object" ? value.parts : [String(value)];
  return new Words(strings.flatMap((text, index) => [text, ...partsOf(values[index])]));
}

const marker = (mark: Mark) => (word: string) => new Words([{ word, mark }]);

/** An argument, by its name in Terraform: {@link words}`${setting("user_name")} is empty.` */
export const setting = marker("argument");

/** A variable, a file, a command or a cloud: under `iam-tokens run`, those are not Terraform's. */
export const ofProcess = marker("process");

/** A request id, which support needs of one error alone. */
export const requestId = marker("request id");

/** The provider block. */
export const BLOCK = marker("block")("the provider block");
