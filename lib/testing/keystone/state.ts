import type { Directory } from "./directory";
import type { Federation } from "./federation";
import type { IdentityAnswer, IdentityRequest } from "./http";
import type { Tokens } from "./tokens";

/** Everything that a service knows. */
export interface State {
  readonly directory: Directory;
  readonly tokens: Tokens;
  readonly federation: Federation;
  /** The member `catalog` of a scoped token's body, as it is given. */
  readonly catalog: readonly unknown[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Answers a request. */
export type Handler = (request: IdentityRequest, state: State) => IdentityAnswer;
