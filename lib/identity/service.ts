import { setTimeout } from "node:timers/promises";
import { defined, Secret } from "../tokens";
import type { CredentialKeys } from "./cache/credential-key";
import type { TlsMaterial } from "./credential";
import { isKeystones, jsonOf } from "./interpret/answer";
import type { Exchanged } from "./interpret/exchanged";
import { type Limits, SILENCE_MS } from "./limits";
import { decideRetry, describeTries, isPassing, LAST_TRY_MS } from "./retry";
import type { Outcome, Transport, WireRequest } from "./transport/transport";
import { Turns } from "./waiting/turns";

/** Waits, and ends early without an error when the signal is aborted. */
type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** What a client sends with. */
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

/** How a request is sent to a service that others use. */
export interface Asking {
  /** Milliseconds for all attempts, zero for one attempt; by default as in the limits. */
  readonly retryForMs?: number | undefined;
  /** Milliseconds for one attempt; by default as in the limits. */
  readonly requestMs?: number;
  /** Milliseconds for an answer that is on its way at an abort. By default, none. */
  readonly lingerMs?: number;
  /** The service's failures when the caller began to wait. By default, its turn is its first wait. */
  readonly since?: number;
  /** Checks again when its turn has come: nothing is sent if it throws. */
  readonly check?: () => void;
  /** Whether a close does not cancel it: it ends something (a revocation). */
  readonly outlivesClose?: boolean;
}

/** The last outcome of a request, and what it took. */
export interface TriedExchange extends Exchanged {
  /** How many requests were sent. */
  readonly tries: number;
  /** Milliseconds, including the waits between attempts. */
  readonly tookMs: number;
}

/** The services of a client, until it is closed: by scheme, host, port and certificates. */
export class Services {
  readonly #services = new Map<string, Service>();
  /**
   * The requests in progress. A set instead of listeners of one signal: there may be a thousand.
   */
  readonly #underWay = new Set<AbortController>();
  isClosed = false;

  constructor(
    readonly tools: ExchangeTools,
    private readonly keys: CredentialKeys,
  ) {}

  /** The service at an address. */
  at(address: string, tls?: TlsMaterial): Service {
    const key = this.keys.ofService(new URL(address).origin, tls);
    const service = this.#services.get(key) ?? new Service(this, tls);
    this.#services.set(key, service);
    return service;
  }

  /** Runs work with a signal that is aborted by the caller's and by {@link close}. */
  async untilClosed<Value>(
    signal: AbortSignal,
    work: (linked: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort);
    this.#underWay.add(controller);
    if (signal.aborted || this.isClosed) abort();
    try {
      return await work(controller.signal);
    } finally {
      this.#underWay.delete(controller);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Cancels what is in progress, and all that comes. */
  close(): void {
    this.isClosed = true;
    for (const controller of this.#underWay) controller.abort();
  }
}

/**
 * One service: turns, for a limited number of requests at a time, and its health, by the outcome of
 * each. What is slow or broken is the outcome of whoever has waited for it meanwhile: they would wait
 * as long again.
 */
export class Service {
  readonly #turns: Turns;
  /** How often it has failed: {@link Asking.since} of whoever begins to wait now. */
  failures = 0;
  /** The last outcome, if it is as much the service's as the request's. */
  #failure:
    | { readonly exchanged: TriedExchange; readonly at: number; readonly totalMs: number }
    | undefined;

  constructor(
    private readonly services: Services,
    private readonly tls: TlsMaterial | undefined,
  ) {
    this.#turns = new Turns(services.tools.limits.connections);
  }

  /** The last outcome, if that was no answer, a short time ago: what can wait is not asked now. */
  get silence(): Exchanged | undefined {
    const { exchanged, at = 0 } = this.#failure ?? {};
    const isSilence = /^(connect_timeout|no_answer)$/.test(`${exchanged?.outcome.fault}`);
    return isSilence && this.services.tools.clock() - at < SILENCE_MS ? exchanged : undefined;
  }

  /**
   * What comes of a request when its turn has come: another one's outcome if that has failed
   * meanwhile, and says so.
   *
   * @throws ERR_CANCELLED, or what `how.check` throws
   */
  async ask(request: WireRequest, how: Asking, signal: AbortSignal): Promise<TriedExchange> {
    const { since = this.failures, retryForMs: totalMs = this.services.tools.limits.totalMs } = how;
    const run = (linked: AbortSignal) =>
      this.#turns.take(async () => {
        const failure = this.failures > since ? this.#failure : undefined;
        // A caller with more time tries by itself.
        if (failure !== undefined && failure.totalMs >= totalMs) {
          const { exchanged } = failure;
          if (!isOfUrl(exchanged.outcome) || exchanged.url === request.url)
            return {
              ...exchanged,
              tries: 0,
              tookMs: 0,
              triesInWords: `${exchanged.triesInWords}${UNSENT}`,
            };
        }
        how.check?.();
        const exchanged = await this.#send(request, { ...how, totalMs }, linked);
        const { outcome } = exchanged;
        if (outcome.fault !== "cancelled") {
          const isFailure = isOfService(outcome, request.method);
          this.failures += Number(isFailure);
          this.#failure = isFailure
            ? { exchanged, at: this.services.tools.clock(), totalMs }
            : undefined;
        }
        return exchanged;
      }, linked);
    return how.outlivesClose ? run(signal) : this.services.untilClosed(signal, run);
  }

  /** Sends a request as often as the policy allows, within the time limit. */
  async #send(
    request: WireRequest,
    { totalMs, requestMs, lingerMs = 0 }: Asking & { readonly totalMs: number },
    signal: AbortSignal,
  ): Promise<TriedExchange> {
    const { transport, clock, random, sleep, log, ...tools } = this.services.tools;
    const { tls } = this;
    const limits = { ...tools.limits, ...defined({ requestMs }) };
    const { url, secret = Secret.of(""), passing } = request;
    const late = lingering(signal, lingerMs);
    const started = clock();
    let waitedMs = 0;
    // A wait counts in full, whatever the timers do.
    const elapsed = () => Math.max(waitedMs, clock() - started);
    let tries = 0;
    let timeoutMs = limits.requestMs;
    const ended = (outcome: Outcome, triesInWords: string): TriedExchange => {
      // The last try may have had less time.
      const ofLastTry = { requestMs: timeoutMs, connectMs: Math.min(limits.connectMs, timeoutMs) };
      const all = { ...limits, ...ofLastTry };
      return { outcome, url, secret, limits: all, triesInWords, tries, tookMs: elapsed() };
    };
    for (;;) {
      if (signal.aborted) return ended({ kind: "fault", fault: "cancelled" }, "");
      // The first attempt has its full time, however little is left for others.
      const leftMs = Math.max(LAST_TRY_MS, totalMs - elapsed());
      timeoutMs = tries === 0 ? limits.requestMs : Math.min(limits.requestMs, leftMs);
      const outcome = await transport.send(request, { signal: late, tls, timeoutMs });
      tries += 1;
      const progress = {
        attempt: tries,
        totalMs,
        elapsedMs: elapsed(),
        random: random(),
      };
      const { waitMs, why } = decideRetry(outcome, progress, limits, passing);
      log("debug", "identity service: try", {
        method: request.method,
        url: url.replace(/\?.*/s, ""),
        try: tries,
        result: String(
          outcome.kind === "answer" ? outcome.status : (outcome.code ?? outcome.fault),
        ),
        ...defined({ again_in_ms: waitMs }),
      });
      if (waitMs === undefined) return ended(outcome, describeTries(tries, elapsed(), why));
      waitedMs += waitMs;
      await sleep(waitMs, signal);
    }
  }
}

const UNSENT = ", to another request: this one was not sent";

/** Waits by the machine's timers; an abort ends the wait early, without an error. */
export const sleep: Sleep = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => {});

/** A signal that is aborted some time after another one. */
function lingering(signal: AbortSignal, milliseconds: number): AbortSignal {
  if (milliseconds === 0) return signal;
  const late = new AbortController();
  const begin = () => globalThis.setTimeout(() => late.abort(), milliseconds).unref();
  signal.addEventListener("abort", begin, { once: true });
  return late.signal;
}

/** Whether it is an answer of this address alone. */
const isOfUrl = (outcome: Outcome) => outcome.kind === "answer" && !isPassing(outcome);

/**
 * Whether an outcome says as much of the service, or of what is between, as of the request: a fault,
 * an answer that may pass, or another place.
 */
function isOfService(outcome: Outcome, method: WireRequest["method"]): boolean {
  if (outcome.kind === "fault" || isPassing(outcome)) return true;
  const { status } = outcome;
  const isTheirs = () => isKeystones({ ...outcome, json: jsonOf(outcome) });
  return status === 404 ? method === "POST" && !isTheirs() : status >= 300 && status < 400;
}
