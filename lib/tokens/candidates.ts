import { type IamTokensError, SENTENCE_BREAK } from "./error";
import { ERROR_CODES } from "./error-codes";

const LIST = " The service does not say why. Possible causes:\n";
const ITEM = "- ";
const LIKELY = "Most likely: ";

/** A problem whose cause the service does not report, with its possible causes in order. */
export function withCandidates(fact: string, candidates: readonly string[]): string {
  return `${fact}${LIST}${candidates.map((candidate) => `${ITEM}${candidate}\n`).join("")}`;
}

/** A cause for which there is evidence. */
export function likely(candidate: string): string {
  return `${LIKELY}${candidate}`;
}

/**
 * Explains a cause with the first error of a run. Later errors mostly have the same cause: they
 * state the fact and refer to the first.
 */
export class CandidatesOnce {
  #listed = false;
  readonly #explained = new WeakMap<object, Set<string>>();

  /**
   * @param configuration what the error is about, if it is more than one token: the same code is
   * explained once for it
   */
  report(error: IamTokensError, configuration: object = {}): IamTokensError {
    const [fact = "", list] = error.problem.split(LIST, 2);
    if (list === undefined) return this.#isExplained(error, configuration) ? brief(error) : error;
    if (!this.#listed) {
      this.#listed = true;
      return error;
    }
    // Support needs one of the ids, which the first error contains.
    const short = fact.replace(/ \(request id [^()]*\)/, "");
    const seen = list.split("\n").find((line) => line.startsWith(ITEM + LIKELY));
    const problem = seen === undefined ? short : `${short} ${seen.slice(ITEM.length)}`;
    return error.with({
      problem,
      // It names the likely problem, for a reader who sees only this error.
      headline: error.headline ?? ERROR_CODES[error.code].summary,
      // Terraform may print the errors in another order.
      remedy: "Possible causes are listed in another error of this run.",
    });
  }

  /** Whether it has been asked before. */
  #isExplained({ code }: IamTokensError, configuration: object): boolean {
    const codes = this.#explained.get(configuration) ?? new Set();
    this.#explained.set(configuration, codes);
    return codes.has(code) || !codes.add(code);
  }

  /** Another run begins. */
  forget(): void {
    this.#listed = false;
  }
}

/** The fact alone: the first sentence, which may be all. */
function brief(error: IamTokensError): IamTokensError {
  const [problem = ""] = error.problem.split(SENTENCE_BREAK, 1);
  return error.with({ problem, remedy: "Another error of this run explains it." });
}
