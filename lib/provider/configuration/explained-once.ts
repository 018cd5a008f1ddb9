import { causeText, IamTokensError, words } from "../../tokens";

/**
 * Lists possible causes with the first error of one Terraform that has them. Later errors mostly have
 * the same cause: they state the fact, and what is likely in their case alone.
 */
export class ExplainedOnce {
  readonly #listed = new Set<string>();

  report(error: IamTokensError): IamTokensError {
    const { code } = error;
    const { fact, more, causes, ...parts } = error.parts;
    if (causes === undefined) return error;
    const list = causes.flatMap((cause) => (cause.likely ? [] : causeText(cause))).join("\n");
    if (!this.#listed.has(list)) {
      this.#listed.add(list);
      return error;
    }
    const evident = causes.find(({ likely }) => likely);
    // Support needs one of the ids, which the first error contains.
    return new IamTokensError(code, words`${fact}`.without("request id"), {
      ...parts,
      ...(evident && { more: causeText(evident) }),
      // Terraform may print the errors in another order.
      remedy: "Possible causes are listed in another error of this run.",
    });
  }
}
