import type { IConstruct } from "constructs";
import type { IamTokensError } from "../../tokens";

/** What is wrong with a construct, seen from the stack as a whole. */
export type Finding = readonly [construct: IConstruct, mistake: IamTokensError];

/** What one walk over a stack found. */
export interface Survey {
  /** Everything that was in the stack then. */
  readonly constructs: ReadonlySet<IConstruct>;
  /** Messages of mistakes, by construct. */
  readonly findings: ReadonlyMap<IConstruct, readonly string[]>;
}
