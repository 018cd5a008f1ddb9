import { IamTokensError } from "../tokens";
import type { IssueFailure } from "./issuing";

/** Why a token, or a stack's folder, could not be prepared. */
export interface Failure extends IssueFailure {
  /** Path of the construct. */
  readonly path: string;
}

/** Our own error as a failure. Other errors are thrown again. */
export function failureOf(path: string, error: unknown): Failure {
  if (!IamTokensError.is(error)) throw error;
  return { path, code: error.code, text: error.message };
}

/**
 * One error for all failures, by construct path, each with its code. A problem that occurs more
 * than once is described in full only the first time.
 *
 * It is printed without a stack trace: the way to this code does not help, and a pipeline's log
 * should contain the list.
 *
 * @param tokens number of tokens to resolve
 * @throws ERR_RESOLUTION_FAILED
 */
export function assertNoFailures(failures: readonly Failure[], tokens: number): void {
  if (failures.length === 0) return;
  const first = new Map<string, string>();
  const lines = failures.map(({ path, code, text }) => {
    const known = first.get(text);
    if (known !== undefined) return `[${path}] Same error as [${known}]. [${code}]`;
    first.set(text, path);
    return `[${path}] ${text.replaceAll("\n", "\n    ")}`;
  });
  const what = tokens === 1 ? "a token" : `${tokens} tokens`;
  const errors = failures.length === 1 ? "" : ` with ${failures.length} errors`;
  const error = new IamTokensError(
    "ERR_RESOLUTION_FAILED",
    `Resolving ${what} before synthesis failed${errors}:\n  ${lines.join("\n  ")}\n`,
  );
  throw Object.assign(error, { stack: `${error.name}: ${error.message}` });
}
