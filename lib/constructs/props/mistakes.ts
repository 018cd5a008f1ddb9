import type { ErrorCode, IamTokensErrorDetails } from "../../tokens";
import { IamTokensError } from "../../tokens";

/**
 * Collects what is wrong with a construct. Constructors never throw for a user's mistake: all
 * mistakes of an app are reported at once when it is synthesized, each with its construct's path.
 */
export class Mistakes {
  readonly found: IamTokensError[] = [];

  add(code: ErrorCode, problem: string, details: IamTokensErrorDetails = {}): void {
    this.found.push(new IamTokensError(code, problem, details));
  }

  /** Runs a check that throws, keeps what it throws, and gives what the check gives, if it does. */
  check<T>(assertion: () => T): T | undefined {
    try {
      return assertion();
    } catch (error) {
      if (!IamTokensError.is(error)) throw error;
      this.found.push(error);
      return undefined;
    }
  }

  get messages(): string[] {
    return this.found.map((mistake) => mistake.message);
  }
}
