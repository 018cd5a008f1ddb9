import { defined, formatDuration } from "../../tokens";
import type { HoldOthers } from "../cache/turns";
import type { TlsMaterial } from "../credential";
import type { Limits } from "../limits";
import type { Outcome, Transport, WireRequest } from "../transport/transport";
import { asksForPatience, decideRetry, isReconnected } from "./policy";

/** Waits, and ends early without an error when the signal is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Writes a line for people who look for a fault. No field ever holds a secret. */
export type IdentityLog = (
  level: "trace" | "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, string | number | boolean>>,
) => void;

/** What an exchange needs of the outside. */
export interface ExchangeTools {
  readonly transport: Transport;
  readonly limits: Limits;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly log: IdentityLog;
}

/** A request, with how its answer is read. */
export interface ExchangeRequest {
  readonly request: WireRequest;
  readonly tls?: TlsMaterial;
  readonly wantsBody: (status: number) => boolean;
  /** Milliseconds that all tries may take, zero for one try; by default the limits say. */
  readonly retryForMs?: number | undefined;
}

/** The last outcome, with the tries that led to it. */
export interface Exchanged {
  readonly outcome: Outcome;
  readonly told: string;
  /** How many requests were sent. */
  readonly tries: number;
  /** Milliseconds, the waits between tries included. */
  readonly tookMs: number;
}

/** A last try at the end of the time gets so much. */
const MIN_TRY_MS = 1_000;

const CANCELLED: Outcome = { kind: "fault", fault: "cancelled" };

/**
 * Sends a request as often as the policy says, within the time in all.
 *
 * @param holdOthers keeps further operations from beginning during a wait that the service has
 * asked for
 */
export async function exchange(
  wanted: ExchangeRequest,
  tools: ExchangeTools,
  signal: AbortSignal,
  holdOthers: HoldOthers = (rest) => rest(),
): Promise<Exchanged> {
  const { transport, limits, now, random, sleep, log } = tools;
  const started = now();
  let waitedMs = 0;
  // A clock that is set back must not make it try for ever.
  const elapsed = () => Math.max(waitedMs, now() - started);
  const outcomes: Outcome[] = [];
  for (;;) {
    if (signal.aborted)
      return { outcome: CANCELLED, told: "", tries: outcomes.length, tookMs: elapsed() };
    const leftMs = Math.max(MIN_TRY_MS, (wanted.retryForMs ?? limits.totalMs) - elapsed());
    const outcome = await transport.send(wanted.request, {
      signal,
      ...defined({ tls: wanted.tls }),
      // The first try has its full time, however little is left for others.
      timeoutMs: outcomes.length === 0 ? limits.requestMs : Math.min(limits.requestMs, leftMs),
      wantsBody: wanted.wantsBody,
    });
    outcomes.push(outcome);
    const decision = decideRetry(
      outcome,
      {
        attempt: outcomes.length,
        elapsedMs: elapsed(),
        random: random(),
        reconnects: outcomes.filter(isReconnected).length,
        retryForMs: wanted.retryForMs,
      },
      limits,
    );
    log("debug", "identity service: try", {
      method: wanted.request.method,
      url: wanted.request.url,
      try: outcomes.length,
      result: tryText(outcome),
      ...(decision.again && { again_in_ms: decision.waitMs }),
    });
    if (!decision.again) {
      const told = tellTries(outcomes, elapsed(), decision.why);
      return { outcome, told, tries: outcomes.length, tookMs: elapsed() };
    }
    const { waitMs } = decision;
    waitedMs += waitMs;
    await (asksForPatience(outcome)
      ? holdOthers(() => sleep(waitMs, signal))
      : sleep(waitMs, signal));
  }
}

/** Waits by the machine's timers; an abort ends the wait early, without an error. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}

/** One try, in a word: the status, or what went wrong. */
function tryText(outcome: Outcome): string {
  if (outcome.kind === "answer") return String(outcome.status);
  if (outcome.fault === "proxy_status") return `proxy ${outcome.status ?? 0}`;
  if (outcome.code !== undefined) return outcome.code;
  // Without a code of the system it was no failure here: the other side hung up.
  return outcome.fault === "connection" ? "closed" : outcome.fault.replaceAll("_", " ");
}

/** The tries of an operation, for its error; "" for a single one that nobody would ask about. */
export function tellTries(outcomes: readonly Outcome[], elapsedMs: number, why?: string): string {
  const reason = why === undefined ? "" : `: ${why}`;
  if (outcomes.length <= 1) return why === undefined ? "" : `, and was not asked again${reason}`;
  // What was the same each time is said once, by the sentence that this is part of.
  const results = [...countsOf(outcomes.map(tryText))].map(([text, count]) =>
    count === 1 ? text : `${count} × ${text}`,
  );
  const list = results.length === 1 ? "" : ` (${results.join(", ")})`;
  const again = why === undefined ? "" : `, and was not asked again${reason}`;
  return ` after ${outcomes.length} tries in ${formatDuration(Math.max(0, elapsedMs))}${list}${again}`;
}

function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
