import type { HoldOthers } from "../cache/turns";
import type { TlsMaterial } from "../credential";
import type { Limits } from "../limits";
import type { IdentityLog } from "../log";
import type { WireRequest } from "../request/wire-request";
import type { Outcome, Transport } from "../transport/transport";
import { asksForPatience, decideRetry } from "./policy";
import { tellTries, tryText } from "./told";

/** Waits, and ends early without an error when the signal is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

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
  const elapsed = () => Math.max(0, now() - started);
  const outcomes: Outcome[] = [];
  for (;;) {
    if (signal.aborted)
      return { outcome: CANCELLED, told: "", tries: outcomes.length, tookMs: elapsed() };
    const outcome = await transport.send(wanted.request, {
      signal,
      ...(wanted.tls === undefined ? {} : { tls: wanted.tls }),
      timeoutMs: Math.max(1, Math.min(limits.requestMs, limits.totalMs - elapsed())),
      wantsBody: wanted.wantsBody,
    });
    outcomes.push(outcome);
    const decision = decideRetry(
      outcome,
      { attempt: outcomes.length, elapsedMs: elapsed(), random: random() },
      limits,
    );
    log("debug", "identity service: try", {
      method: wanted.request.method,
      url: wanted.request.url,
      try: outcomes.length,
      result: tryText(outcome),
      ...(decision.again ? { again_in_ms: decision.waitMs } : {}),
    });
    if (!decision.again) {
      const told = tellTries(outcomes, elapsed(), decision.why);
      return { outcome, told, tries: outcomes.length, tookMs: elapsed() };
    }
    const { waitMs } = decision;
    await (asksForPatience(outcome)
      ? holdOthers(() => sleep(waitMs, signal))
      : sleep(waitMs, signal));
  }
}
