import { formatDuration } from "../../tokens";
import { headerValues, parseHttpDate, serviceTime } from "../interpret/headers";
import type { Limits } from "../limits";
import type { Answer, Outcome } from "../transport/transport";

/** The progress of an operation. */
interface Progress {
  /** Attempts made, including this one. */
  readonly attempt: number;
  /** How many of these attempts had a refused or broken connection. @default 0 */
  readonly reconnects?: number;
  /** Time for all attempts, including reconnecting; by default as in the limits. */
  readonly retryForMs?: number | undefined;
  readonly elapsedMs: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/** Try again after a wait, or stop; `why` is set if the outcome does not explain it. */
type Decision =
  | { readonly again: true; readonly waitMs: number }
  | { readonly again: false; readonly why?: string };

const RETRIED_FAULTS: ReadonlySet<string> = new Set(["connect_timeout", "no_answer", "connection"]);

/** Faults of a service that restarts, directly or behind a proxy. */
const RECONNECTED: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  // Closed by the other side.
  undefined,
]);

/**
 * Decides about another attempt. 429, 5xx and connection faults are retried, other answers never:
 * after a 4xx, a retry would only lock a user, and with a 201, however broken, a token was issued.
 * Full jitter; Retry-After is followed within its limits.
 */
export function decideRetry(outcome: Outcome, progress: Progress, limits: Limits): Decision {
  if (!isPassing(outcome)) return { again: false };
  const { attempt, elapsedMs, random } = progress;
  const totalMs = progress.retryForMs ?? limits.totalMs;
  const jitterMs =
    random * Math.min(limits.backoffCapMs, limits.backoffBaseMs * 2 ** Math.min(attempt - 1, 30));
  if (isReconnected(outcome)) {
    const leftMs = Math.min(totalMs, progress.retryForMs ?? limits.reconnectMs) - elapsedMs;
    // The last attempt is at the end of the time, without another wait.
    return leftMs < 1
      ? { again: false }
      : { again: true, waitMs: Math.round(Math.min(jitterMs, leftMs)) };
  }
  if (attempt - (progress.reconnects ?? 0) >= limits.attempts || totalMs === 0)
    return { again: false };
  const leftMs = totalMs - elapsedMs;
  const askedMs = outcome.kind === "answer" ? (retryAfterOf(outcome) ?? 0) : 0;
  if (askedMs > limits.retryAfterMs) {
    return {
      again: false,
      why: `Retry-After is ${formatDuration(askedMs)}, and the provider waits at most ${formatDuration(limits.retryAfterMs)}`,
    };
  }
  // A requested wait gets additional jitter: callers that got the same answer must not all return
  // at once.
  const waitMs = Math.round(askedMs > 0 ? askedMs + random * limits.backoffBaseMs : jitterMs);
  if (waitMs >= leftMs) {
    const total = formatDuration(totalMs);
    return askedMs > 0
      ? {
          again: false,
          why: `Retry-After is ${formatDuration(askedMs)}, and ${formatDuration(Math.max(0, leftMs))} of the ${total} for all tries is left`,
        }
      : { again: false, why: `the ${total} for all tries are used up` };
  }
  return { again: true, waitMs };
}

/**
 * Whether an answer is about the number of requests instead of this request: 429, or any answer
 * with Retry-After.
 */
export function asksForPatience(outcome: Outcome): boolean {
  return outcome.kind === "answer" && (outcome.status === 429 || (retryAfterOf(outcome) ?? 0) > 0);
}

/** Whether a failure may be temporary. */
export function isPassing(outcome: Outcome): boolean {
  if (outcome.kind === "answer") return outcome.status === 429 || isServerError(outcome.status);
  if (outcome.fault === "proxy_status")
    return outcome.status === 429 || isServerError(outcome.status ?? 0);
  // Retrying does not make a host exist.
  return RETRIED_FAULTS.has(outcome.fault) && outcome.code !== "ENOTFOUND";
}

/** Whether a connection was refused or broke. */
export function isReconnected(outcome: Outcome): boolean {
  return (
    outcome.kind === "fault" && outcome.fault === "connection" && RECONNECTED.has(outcome.code)
  );
}

const isServerError = (status: number) => status >= 500 && status < 600;

/**
 * The wait that an answer requests, in milliseconds (Retry-After in seconds or as a date), never
 * negative; undefined without a request, or for an invalid one. A date is compared with the
 * service's own clock.
 */
export function retryAfterOf(answer: Answer): number | undefined {
  const waits = headerValues(answer, "retry-after").flatMap((text) => {
    if (/^\d{1,10}$/.test(text)) return [Number(text) * 1000];
    const date = parseHttpDate(text);
    return date === undefined
      ? []
      : [Math.max(0, date - (serviceTime(answer) ?? answer.receivedAt))];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}
