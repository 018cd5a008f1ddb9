import type { MessagePort } from "node:worker_threads";
import type { Secret } from "../tokens";

/** Arguments of a block, all known, as Terraform would pass them. */
export type KnownArguments = Readonly<Record<string, unknown>>;

/** A token to get: the object that Terraform would open or read, and its provider block. */
export interface IssueJob {
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  /**
   * Where the token will be stored: tokens that may be in a state are never shared with those that
   * may not.
   */
  readonly storedIn: "memory" | "state";
  readonly provider: KnownArguments;
  readonly block: KnownArguments;
}

/** Outcome of a job. */
export type IssueOutcome =
  | {
      /** Problem, allowed values, next step; a list has one line per item. No secret. */
      readonly failure: string;
    }
  | {
      readonly failure?: undefined;
      readonly token: Secret;
      /** None for a static token. */
      readonly details: Readonly<Record<string, string>> | undefined;
      /** Warnings for the user. */
      readonly warnings: readonly string[];
    };

/** The context of jobs. */
export interface IssuingContext {
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Folder for relative files. */
  readonly workingFolder: string;
}

/**
 * Does all jobs, at most eight at a time, each to its end; never rejects because of a job's
 * failure.
 */
export type IssueTokens = (
  jobs: readonly IssueJob[],
  context: IssuingContext,
) => Promise<readonly IssueOutcome[]>;

/** What a thread gets that does jobs, and how it says that it has begun (1), or ended (2). */
export interface ThreadData {
  readonly jobs: readonly IssueJob[];
  readonly context: IssuingContext;
  readonly state: Int32Array<SharedArrayBuffer>;
  readonly port: MessagePort;
}
