import { formatDuration } from "../../tokens";
import { headerValues, parseHttpDate, serviceTime } from "../interpret/headers";
import type { Limits } from "../limits";
import type { Answer, Outcome } from "../transport/transport";

/** How far an operation has come. */
interface Progress {
  /** Tries made, this one included. */
  readonly attempt: number;
  readonly elapsedMs: number;
  /** From 0 to below 1. */
  readonly random: number;
}

/** Try again after a wait, or stop; `why` is said when it is not plain from the outcome. */
type Decision =
  | { readonly again: true; readonly waitMs: number }
  | { readonly again: false; readonly why?: string };

const RETRIED_FAULTS: ReadonlySet<string> = new Set(["connect_timeout", "no_answer", "connection"]);

/**
 * Whether to try once more. 429, 5xx and connection faults are tried again; any other answer never
 * is: a 4xx would only lock a user, and behind a 201, however broken, is a token that was issued.
 * Full jitter, Retry-After honoured within its bounds.
 */
export function decideRetry(outcome: Outcome, progress: Progress, limits: Limits): Decision {
  if (!isPassing(outcome) || progress.attempt >= limits.attempts) return { again: false };
  const leftMs = limits.totalMs - progress.elapsedMs;
  const jitterMs =
    progress.random *
    Math.min(limits.backoffCapMs, limits.backoffBaseMs * 2 ** Math.min(progress.attempt - 1, 30));
  const askedMs = outcome.kind === "answer" ? (retryAfterOf(outcome) ?? 0) : 0;
  if (askedMs > limits.retryAfterMs) {
    return {
      again: false,
      why: `it asks to wait ${formatDuration(askedMs)}, and at most ${formatDuration(limits.retryAfterMs)} is honoured`,
    };
  }
  // A wait that was asked for gets a jitter on top, so that not all who were told the same come
  // back at once.
  const waitMs = Math.round(
    askedMs > 0 ? askedMs + progress.random * limits.backoffBaseMs : jitterMs,
  );
  if (waitMs >= leftMs) {
    const total = formatDuration(limits.totalMs);
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
  return RETRIED_FAULTS.has(outcome.fault);
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
