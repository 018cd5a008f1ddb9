import type { ErrorCode, IamTokensErrorDetails } from "../../tokens";
import { IamTokensError } from "../../tokens";

/**
 * Collects the mistakes in a construct. Constructors never throw for a user's mistake: synthesis
 * reports all mistakes of an app at once, each with its construct's path.
 */
export class Mistakes {
  readonly found: IamTokensError[] = [];

  add(code: ErrorCode, problem: string, details: IamTokensErrorDetails = {}): void {
    this.found.push(new IamTokensError(code, problem, details));
  }

  /** Runs a check, and either returns its result or collects the error that it throws. */
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
