import type { IConstruct } from "constructs";
import type { ErrorCode, IamTokensErrorDetails } from "../../tokens";
import { defined, IamTokensError } from "../../tokens";

/** Collects the mistakes in a value whose use reports them. */
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

/** The mistakes of a construct: each is thrown at once, where the program declares it. */
export class Refusals extends Mistakes {
  constructor(private readonly construct: IConstruct) {
    super();
  }

  override add(code: ErrorCode, problem: string, details: IamTokensErrorDetails = {}): never {
    throw new IamTokensError(code, `[${this.construct.node.path}] ${problem}`, details);
  }

  override check<T>(assertion: () => T): T {
    try {
      return assertion();
    } catch (error) {
      if (!IamTokensError.is(error)) throw error;
      const { code, problem, remedy, allowed } = error;
      return this.add(code, problem, { remedy, ...defined({ allowed }) });
    }
  }
}
