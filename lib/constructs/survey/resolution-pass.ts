import type { Secret } from "../../tokens";

/** A token that was resolved before synthesis. */
export interface ResolvedToken {
  readonly token: Secret;
  /** What is known beside the token, by attribute; none for a static token. */
  readonly details: Readonly<Record<string, string>> | undefined;
}

/** What `resolveTokens` has left for the synthesis of a stack. */
export interface ResolutionPass {
  /** Nothing was issued: what is there already stays, for a command that needs no token. */
  readonly skipped: boolean;
  /** Whether the values are written beside the stack, as it is when this is asked. */
  readonly isWritten: () => boolean;
  /** By the token's record. */
  readonly values: ReadonlyMap<object, ResolvedToken>;
  /** What the user is to be told when the stack is synthesized. */
  readonly notes: () => readonly string[];
}
