import { IamTokensError } from "./error";
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
 * Lists possible causes with the first error of a run. Later errors mostly have the same cause:
 * they state the fact and refer to the list.
 */
export class CandidatesOnce {
  #listed = false;

  report(error: IamTokensError): IamTokensError {
    const [fact = "", list] = error.problem.split(LIST, 2);
    if (list === undefined) return error;
    if (!this.#listed) {
      this.#listed = true;
      return error;
    }
    // Support needs one of the ids, which the first error contains.
    const short = fact.replace(/ \(request id [^()]*\)/, "");
    const seen = list.split("\n").find((line) => line.startsWith(ITEM + LIKELY));
    const problem = seen === undefined ? short : `${short} ${seen.slice(ITEM.length)}`;
    return new IamTokensError(error.code, problem, {
      // It names the likely problem, for a reader who sees only this error.
      headline: ERROR_CODES[error.code].summary,
      // Terraform may print the errors in another order.
      remedy: "Possible causes are listed in another error of this run.",
    });
  }

  /** Another run begins. */
  forget(): void {
    this.#listed = false;
  }
}
