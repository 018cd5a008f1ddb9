import type { ErrorCode, Secret } from "../tokens";

/** Arguments of a block, all known, as Terraform would give them. */
export type KnownArguments = Readonly<Record<string, unknown>>;

/** A token to be got: what Terraform would open or read, and with which provider block. */
export interface IssueJob {
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  /**
   * Where the token is going to be: tokens that may stand in a state are never shared with those
   * that may not.
   */
  readonly keptIn: "memory" | "state";
  readonly provider: KnownArguments;
  readonly block: KnownArguments;
}

/** A token that could not be got. */
export interface IssueFailure {
  readonly code: ErrorCode;
  /** What was wrong, what is allowed, the next step: on one line, with no secret. */
  readonly text: string;
}

/** What came of a job. */
export type IssueOutcome =
  | { readonly failure: IssueFailure }
  | {
      readonly failure?: undefined;
      readonly token: Secret;
      /** None for a static token. */
      readonly details: Readonly<Record<string, string>> | undefined;
      /** What was odd, for the user. */
      readonly warnings: readonly string[];
    };

/** Where jobs are done. */
export interface IssueSurroundings {
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** What relative files are relative to. */
  readonly workingFolder: string;
  /** Called after each job. */
  readonly ended: () => void;
}

/**
 * Does all jobs, at most eight at a time, each to its end; never rejects for what one of them
 * meets.
 */
export type IssueTokens = (
  jobs: readonly IssueJob[],
  surroundings: IssueSurroundings,
) => Promise<readonly IssueOutcome[]>;
