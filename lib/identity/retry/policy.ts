import { formatDuration } from "../../tokens";
import { headerValues, parseHttpDate, serviceTime } from "../interpret/headers";
import type { Limits } from "../limits";
import type { Answer, Outcome } from "../transport/transport";

/** How far an operation has come. */
interface Progress {
  /** Tries made, this one included. */
  readonly attempt: number;
  /** How many of these tries met a connection that was refused or broke. @default 0 */
  readonly reconnects?: number;
  /** What all tries may take, and reconnecting too; by default the limits say. */
  readonly retryForMs?: number | undefined;
  readonly elapsedMs: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/** Try again after a wait, or stop; `why` is said when it is not plain from the outcome. */
type Decision =
  | { readonly again: true; readonly waitMs: number }
  | { readonly again: false; readonly why?: string };

const RETRIED_FAULTS: ReadonlySet<string> = new Set(["connect_timeout", "no_answer", "connection"]);

/** As a service is met that restarts, directly or behind a proxy. */
const RECONNECTED: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  // Closed by the other side.
  undefined,
]);

/**
 * Whether to try once more. 429, 5xx and connection faults are tried again; any other answer never
 * is: a 4xx would only lock a user, and behind a 201, however broken, is a token that was issued.
 * Full jitter, Retry-After honoured within its bounds.
 */
export function decideRetry(outcome: Outcome, progress: Progress, limits: Limits): Decision {
  if (!isPassing(outcome)) return { again: false };
  const { attempt, elapsedMs, random } = progress;
  const totalMs = progress.retryForMs ?? limits.totalMs;
  const jitterMs =
    random * Math.min(limits.backoffCapMs, limits.backoffBaseMs * 2 ** Math.min(attempt - 1, 30));
  if (isReconnected(outcome)) {
    const leftMs = Math.min(totalMs, progress.retryForMs ?? limits.reconnectMs) - elapsedMs;
    // The last try is at the end of the time, and not a wait before it.
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
      why: `it asks to wait ${formatDuration(askedMs)}, and at most ${formatDuration(limits.retryAfterMs)} is honoured`,
    };
  }
  // A wait that was asked for gets a jitter on top, so that not all who were told the same come
  // back at once.
  const waitMs = Math.round(askedMs > 0 ? askedMs + random * limits.backoffBaseMs : jitterMs);
  if (waitMs >= leftMs) {
    const total = formatDuration(totalMs);
    return askedMs > 0
      ? {
          again: false,
          why: `it asks to wait ${formatDuration(askedMs)}, and of the ${total} for all tries ${formatDuration(Math.max(0, leftMs))} is left`,
        }
      : { again: false, why: `the ${total} for all tries are used up` };
  }
  return { again: true, waitMs };
}

/**
 * Whether an answer is about how much is asked, and not about this request: 429, or any that says
 * when to come back.
 */
export function asksForPatience(outcome: Outcome): boolean {
  return outcome.kind === "answer" && (outcome.status === 429 || (retryAfterOf(outcome) ?? 0) > 0);
}

/** Whether what went wrong may pass by itself. */
function isPassing(outcome: Outcome): boolean {
  if (outcome.kind === "answer") return outcome.status === 429 || isServerError(outcome.status);
  if (outcome.fault === "proxy_status")
    return outcome.status === 429 || isServerError(outcome.status ?? 0);
  // Asking again does not make a host exist.
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
 * Milliseconds that an answer asks to wait (Retry-After in seconds or as a date), never negative;
 * undefined when it does not ask, or nonsense. A date is compared with the service's own clock.
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
