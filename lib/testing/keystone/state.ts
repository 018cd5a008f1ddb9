import type { ServedAnswer } from "../intercept";
import type { Directory } from "./directory";
import type { Federation } from "./federation";
import type { IdentityRequest } from "./http";
import type { Noted } from "./journal";
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

/** Says what the journal is to have of a request; the last one counts. */
export type Note = (noted: Noted) => void;

/**
 * Answers a request.
 *
 * @throws Refusal for a refusal of Keystone
 */
export type Handler = (request: IdentityRequest, state: State, note: Note) => ServedAnswer;
