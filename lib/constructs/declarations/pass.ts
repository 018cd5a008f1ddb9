import type { Secret } from "../../tokens";
import type { TokenRecord } from "./registry";

/** A token that was resolved before synthesis. */
export interface ResolvedToken {
  readonly token: Secret;
  /** Properties of the token, by attribute; none for a static token. */
  readonly details: Readonly<Record<string, string>> | undefined;
}

/** Settings that decide, with the stack, whether values are written next to it. */
export interface FileChoice {
  /** The program's own decision. */
  readonly writeFile: boolean | undefined;
  /** The variable by which this is a CI system. */
  readonly ci: string | undefined;
}

/** The outcome of `resolveTokens` for a stack. */
export type Pass =
  /** Nothing was requested, and existing values stay: for a command that needs no token. */
  | { readonly outcome: "skipped" }
  /** Nothing was requested, because nothing would have used the values. */
  | { readonly outcome: "not requested"; readonly why: string }
  | {
      readonly outcome: "resolved";
      readonly choice: FileChoice;
      readonly values: ReadonlyMap<TokenRecord, ResolvedToken>;
      /** Whether the program has taken the values. */
      readonly isTaken: () => boolean;
    };
