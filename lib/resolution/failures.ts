import { IamTokensError } from "../tokens";

/** Why a token, or a stack's folder, could not be prepared. */
export interface Failure {
  /** Path of the construct. */
  readonly path: string;
  /** Problem, allowed values, next step; a list has one line per item. No secret. */
  readonly text: string;
}

/** Our own error as a failure. Other errors are thrown again. */
export function failureOf(path: string, error: unknown): Failure {
  if (!IamTokensError.is(error)) throw error;
  return { path, text: error.message };
}

/**
 * One error for all failures: each problem once, with the paths of the constructs that have it.
 *
 * It is printed without a stack trace: the way to this code does not help, and a pipeline's log
 * should contain the list.
 *
 * @throws ERR_RESOLUTION_FAILED
 */
export function assertNoFailures(failures: readonly Failure[]): void {
  if (failures.length === 0) return;
  const having = new Map<string, string>();
  for (const { path, text } of failures) having.set(text, `${having.get(text) ?? ""}[${path}] `);
  const lines = [...having].map(([text, paths]) => paths + text.replaceAll("\n", "\n    "));
  const error = new IamTokensError(
    "ERR_RESOLUTION_FAILED",
    `Resolving tokens before synthesis failed:\n  ${lines.join("\n  ")}\n`,
  );
  throw Object.assign(error, { stack: `${error.name}: ${error.message}` });
}
