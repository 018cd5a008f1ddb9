import { setTimeout } from "node:timers/promises";
import { defined, formatDuration, Secret } from "../../tokens";
import type { Exchanged } from "../interpret/exchanged";
import type { Limits } from "../limits";
import type { Outcome, SendOptions, Transport, WireRequest } from "../transport/transport";
import { decideRetry, LAST_TRY_MS } from "./policy";

/** Waits, and ends early without an error when the signal is aborted. */
type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Dependencies of an exchange. */
export interface ExchangeTools {
  readonly transport: Transport;
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets, for all durations. */
  readonly clock: () => number;
  /** A random number from 0 to below 1, for the jitter of waits. */
  readonly random: () => number;
  /** Waits between tries. */
  readonly sleep: Sleep;
  /** No field ever contains a secret. */
  readonly log: (
    level: "debug",
    message: string,
    fields: Readonly<Record<string, string | number | boolean>>,
  ) => void;
}

/** How a request is sent. */
export interface Sending extends Pick<SendOptions, "tls"> {
  /** Milliseconds for all attempts, zero for one attempt; by default as in the limits. */
  readonly retryForMs?: number | undefined;
  /** Milliseconds for one attempt; by default as in the limits. */
  readonly requestMs?: number;
  /** Milliseconds for an answer that is on its way at an abort. By default, none. */
  readonly lingerMs?: number;
}

/** The last outcome, and what it took. */
export interface TriedExchange extends Exchanged {
  /** How many requests were sent. */
  readonly tries: number;
  /** Milliseconds, including the waits between attempts. */
  readonly tookMs: number;
}

/** Sends a request as often as the policy allows, within the time limit. */
export async function exchange(
  request: WireRequest,
  { tls, retryForMs, requestMs, lingerMs = 0 }: Sending,
  { transport, clock, random, sleep, log, ...tools }: ExchangeTools,
  signal: AbortSignal,
): Promise<TriedExchange> {
  const limits = { ...tools.limits, ...defined({ requestMs }) };
  const totalMs = retryForMs ?? limits.totalMs;
  const { url, secret = Secret.of(""), passing } = request;
  const started = clock();
  let waitedMs = 0;
  // A wait counts in full, whatever the timers do.
  const elapsed = () => Math.max(waitedMs, clock() - started);
  const outcomes: Outcome[] = [];
  let timeoutMs = limits.requestMs;
  const ended = (outcome: Outcome, triesInWords: string): TriedExchange => {
    const tries = outcomes.length;
    // The last try may have had less time.
    const ofLastTry = { requestMs: timeoutMs, connectMs: Math.min(limits.connectMs, timeoutMs) };
    const all = { ...limits, ...ofLastTry };
    return { outcome, url, secret, limits: all, triesInWords, tries, tookMs: elapsed() };
  };
  for (;;) {
    if (signal.aborted) return ended({ kind: "fault", fault: "cancelled" }, "");
    // The first attempt has its full time, however little is left for others.
    const leftMs = Math.max(LAST_TRY_MS, totalMs - elapsed());
    const isFirst = outcomes.length === 0;
    timeoutMs = isFirst ? limits.requestMs : Math.min(limits.requestMs, leftMs);
    const attempt = lingering(signal, lingerMs);
    const outcome = await transport.send(request, { signal: attempt.signal, tls, timeoutMs });
    attempt.end();
    outcomes.push(outcome);
    const progress = { attempt: outcomes.length, totalMs, elapsedMs: elapsed(), random: random() };
    const { waitMs, why } = decideRetry(outcome, progress, limits, passing);
    log("debug", "identity service: try", {
      method: request.method,
      url: url.replace(/\?.*/s, ""),
      try: outcomes.length,
      result: tryText(outcome),
      ...defined({ again_in_ms: waitMs }),
    });
    if (waitMs === undefined) return ended(outcome, describeTries(outcomes, elapsed(), why));
    waitedMs += waitMs;
    await sleep(waitMs, signal);
  }
}

/** A signal that is aborted some time after another one. */
function lingering(signal: AbortSignal, milliseconds: number) {
  if (milliseconds === 0) return { signal, end: () => {} };
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = globalThis.setTimeout(() => late.abort(), milliseconds);
  };
  signal.addEventListener("abort", begin, { once: true });
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", begin);
  };
  return { signal: late.signal, end };
}

/** Waits by the machine's timers; an abort ends the wait early, without an error. */
export const sleep: Sleep = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => {});

/** One attempt, in a word: the status, or the failure. */
function tryText(outcome: Outcome): string {
  if (outcome.kind === "answer") return String(outcome.status);
  if (outcome.fault === "proxy_status") return `proxy ${outcome.status}`;
  if (outcome.code !== undefined) return outcome.code;
  // Without a system code there was no local failure: the other side hung up.
  return outcome.fault === "connection" ? "closed" : outcome.fault.replaceAll("_", " ");
}

/** The attempts of an operation, for its error; "" for a single one. */
export function describeTries(
  outcomes: readonly Outcome[],
  elapsedMs: number,
  why?: string,
): string {
  const again = why === undefined ? "" : `, and the request was not repeated: ${why}`;
  if (outcomes.length <= 1) return again;
  const counts = new Map<string, number>();
  for (const text of outcomes.map(tryText)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const results = [...counts].map(([text, count]) => (count === 1 ? text : `${count} × ${text}`));
  // A result that was the same each time is only in the surrounding sentence.
  const list = results.length === 1 ? "" : ` (${results.join(", ")})`;
  return ` after ${outcomes.length} tries in ${formatDuration(elapsedMs)}${list}${again}`;
}
