import type { Credential, Scope } from "../credential";
import type { Limits } from "../limits";

/** What an answer is judged against. */
export interface IssueContext {
  readonly credential: Credential;
  readonly scope: Scope;
  readonly limits: Limits;
  /** The tries so far, for messages; "" after a single one. */
  readonly told: string;
}
