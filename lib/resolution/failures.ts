import { type ErrorCode, IamTokensError } from "../tokens";
import type { IssueFailure } from "./issuing";

/** Why a token, or a stack's folder, could not be made ready. */
export interface Failure extends IssueFailure {
  /** Of the construct. */
  readonly path: string;
}

/** Our own error as a failure. Others are not ours to tell. */
export function failureOf(path: string, error: unknown): Failure {
  if (!IamTokensError.is(error)) throw error;
  return { path, code: error.code, text: error.message };
}

/**
 * One error for all failures, by construct path, each with its code. What is the same for more than
 * one is told in full at the first.
 *
 * It is printed without a stack: how the program came here does not help, and a pipeline's log
 * should show the list.
 */
export function resolutionFailed(failures: readonly Failure[], wanted: number): IamTokensError {
  const first = new Map<string, string>();
  const lines = failures.map(({ path, code, text }) => {
    const known = first.get(text);
    if (known !== undefined) return `[${path}] The same as [${known}]. [${code}]`;
    first.set(text, path);
    return `[${path}] ${text}`;
  });
  const found = failures.length === 1 ? "a failure" : `${failures.length} failures`;
  const error = new IamTokensError(
    "ERR_RESOLUTION_FAILED",
    `Resolving ${wanted === 1 ? "a token" : `${wanted} tokens`} before synthesis met ${found}:\n  ${lines.join("\n  ")}\n`,
  );
  const text = `${error.name}: ${error.message}`;
  const list: readonly { readonly path: string; readonly code: ErrorCode }[] = failures.map(
    ({ path, code }) => ({ path, code }),
  );
  // Node prints own properties of an error that nobody catches: the same text once more.
  for (const name of Object.keys(error)) Object.defineProperty(error, name, { enumerable: false });
  Object.defineProperty(error, "failures", { value: list });
  Object.defineProperty(error, "stack", { value: text });
  return error;
}
