import { causeText, ERROR_CODES, IamTokensError, words } from "../../tokens";

/** The remedies of an error that refers to another one, which has all of the others' sentences. */
export const EXPLAINED = [
  "Another error of this run explains it.",
  "Possible causes are listed in another error of this run.",
] as const;

/**
 * Explains a cause with the first error of one Terraform. Later errors mostly have the same cause: they
 * state the fact and refer to the first.
 */
export class ExplainedOnce {
  /** The lists of possible causes that were printed: without what is likely in one case alone. */
  readonly #listed = new Set<string>();
  readonly #explained = new WeakMap<object, Set<string>>();

  /**
   * @param configuration what the error is about, if it is more than one token: the same code is
   * explained once for it
   */
  report(error: IamTokensError, configuration: object = {}): IamTokensError {
    const { code } = error;
    const { fact, more, causes, ...parts } = error.parts;
    if (causes === undefined) {
      if (!this.#isExplained(error, configuration)) return error;
      const [remedy] = EXPLAINED;
      return new IamTokensError(code, fact, { ...parts, remedy });
    }
    const list = causes.flatMap((cause) => (cause.likely ? [] : causeText(cause))).join("\n");
    if (!this.#listed.has(list)) {
      this.#listed.add(list);
      return error;
    }
    const [summary] = ERROR_CODES[code];
    const evident = causes.find(({ likely }) => likely);
    // Support needs one of the ids, which the first error contains.
    return new IamTokensError(code, words`${fact}`.without("request id"), {
      // It names the likely problem, for a reader who sees only this error.
      headline: summary,
      ...parts,
      ...(evident && { more: causeText(evident) }),
      // Terraform may print the errors in another order.
      remedy: EXPLAINED[1],
    });
  }

  /** Whether an earlier error of this configuration had the code. */
  #isExplained({ code }: IamTokensError, configuration: object): boolean {
    const codes = this.#explained.get(configuration) ?? new Set();
    this.#explained.set(configuration, codes);
    return codes.has(code) || !codes.add(code);
  }
}
