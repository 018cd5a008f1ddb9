import { formatDuration } from "../tokens";
import { headerValues, parseHttpDate, serviceTime } from "./interpret/answer";
import type { Limits } from "./limits";
import type { Answer, Outcome } from "./transport/transport";

/** The progress of a request. */
interface Progress {
  /** Attempts made, including this one. */
  readonly attempt: number;
  /** Time for all attempts. */
  readonly totalMs: number;
  readonly elapsedMs: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/** Time for a last attempt at the end of the time. */
export const LAST_TRY_MS = 1_000;

/**
 * Decides about another attempt. 429, 5xx and connection faults are retried, other answers never:
 * after a 4xx, a retry would only lock a user, and with a 201, however broken, a token was issued.
 * Full jitter; Retry-After is followed; all within one time. To stop has a reason if neither the
 * outcome nor the time explains it.
 */
export function decideRetry(
  outcome: Outcome,
  progress: Progress,
  limits: Limits,
  passing?: number,
): { readonly waitMs?: number; readonly why?: string } {
  const { attempt, totalMs, elapsedMs, random } = progress;
  const leftMs = totalMs - elapsedMs - LAST_TRY_MS;
  if (!isPassing(outcome, passing) || totalMs === 0) return {};
  const askedMs = outcome.kind === "answer" ? retryAfterOf(outcome) : 0;
  const jitterMs =
    random * Math.min(limits.backoffCapMs, limits.backoffBaseMs * 2 ** Math.min(attempt - 1, 30));
  if (askedMs === 0) return leftMs <= 0 ? {} : { waitMs: Math.round(Math.min(jitterMs, leftMs)) };
  // With jitter: callers that got the same answer must not all return at once.
  const waitMs = Math.round(askedMs + random * limits.backoffBaseMs);
  return waitMs <= leftMs
    ? { waitMs }
    : {
        why: `Retry-After is ${formatDuration(askedMs)}, and ${formatDuration(Math.max(0, totalMs - elapsedMs))} of the ${formatDuration(totalMs)} for all tries is left`,
      };
}

/** A retry helps neither an unknown host nor a lack of memory. */
const LASTING = /^ENO(TFOUND|MEM)$/;
const PASSING = /^(connect_timeout|no_answer|connection)$/;

/** Whether a failure may be temporary. */
export function isPassing(outcome: Outcome, also?: number): boolean {
  const { fault, status = 0 } = outcome;
  if (fault !== undefined && fault !== "proxy_status")
    return PASSING.test(fault) && !LASTING.test(`${outcome.code}`);
  return status === 429 || status === also || (status >= 500 && status < 600);
}

/**
 * The wait that an answer requests, in milliseconds (Retry-After in seconds or as a date); zero
 * without a valid request. A date is compared with the service's own clock.
 */
function retryAfterOf(answer: Answer): number {
  const text = String(headerValues(answer, "retry-after")[0]);
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const date = parseHttpDate(text) ?? 0;
  return Math.max(0, date - (serviceTime(answer) ?? answer.receivedAt));
}

/** The tries of a request, for its error; "" for a single one. */
export function describeTries(tries: number, elapsedMs: number, why?: string): string {
  const all = tries > 1 ? ` after ${tries} tries in ${formatDuration(elapsedMs)}` : "";
  return why === undefined ? all : `${all}, and the request was not repeated: ${why}`;
}
