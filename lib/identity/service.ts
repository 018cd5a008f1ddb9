import { defined, IamTokensError, words } from "../tokens";
import type { CredentialKeys } from "./cache/credential-key";
import type { TlsMaterial } from "./credential";
import { isKeystones, jsonOf } from "./interpret/answer";
import type { Exchanged } from "./interpret/exchanged";
import { SILENCE_MS } from "./limits";
import { type ExchangeTools, exchange, type Sending, type TriedExchange } from "./retry/exchange";
import { isPassing } from "./retry/policy";
import type { FaultKind, Outcome, WireRequest } from "./transport/transport";
import { Turns } from "./waiting/turns";

/** How a request is sent to a service that others use. */
export interface Asking extends Omit<Sending, "tls"> {
  /** The service's failures when the caller began to wait. By default, its turn is its first wait. */
  readonly since?: number;
  /** Judges again when its turn has come: nothing is sent if it throws. */
  readonly check?: () => void;
  /** Whether it ends something (a revocation): a close does not cancel it. */
  readonly outlivesClose?: boolean;
}

interface Failure {
  readonly error: IamTokensError;
  /** The budget of the request that failed: a caller with a longer one tries again. */
  readonly totalMs: number;
  /** If it is about this address alone. */
  readonly url: string | undefined;
}

/** The services of a client, until it is closed: by scheme, host, port and certificates. */
export class Services {
  readonly #services = new Map<string, Service>();
  /**
   * The requests in progress. A set instead of listeners of one signal: there may be a thousand.
   */
  readonly #underWay = new Set<AbortController>();
  #isClosed = false;

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
    if (signal.aborted || this.#isClosed) abort();
    try {
      return await work(controller.signal);
    } finally {
      this.#underWay.delete(controller);
      signal.removeEventListener("abort", abort);
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Cancels what is in progress, and all that comes. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#underWay) controller.abort();
  }
}

/**
 * One service: turns, for a limited number of requests at a time, and its health, by the outcome of
 * each. What is slow or broken fails whoever has waited for it meanwhile: they would wait as long
 * again.
 */
export class Service {
  readonly #turns: Turns;
  #failures = 0;
  /** The last outcome, if it was a failure of the service. */
  #failure: Failure | undefined;
  /** The last outcome, if there was no answer. */
  #silence: { readonly exchanged: Exchanged; readonly at: number } | undefined;

  constructor(
    private readonly services: Services,
    private readonly tls: TlsMaterial | undefined,
  ) {
    this.#turns = new Turns(services.tools.limits.connections);
  }

  /** How often it has failed: {@link Asking.since} of whoever begins to wait now. */
  get failures(): number {
    return this.#failures;
  }

  /** The last outcome, if that was no answer, a short time ago: what can wait is not asked now. */
  get silence(): Exchanged | undefined {
    const { exchanged, at } = this.#silence ?? {};
    const age = this.services.tools.clock() - (at ?? Number.NEGATIVE_INFINITY);
    return age < SILENCE_MS ? exchanged : undefined;
  }

  /**
   * Sends a request when its turn has come, and interprets what comes of it.
   *
   * @throws ERR_CANCELLED, what `how.check` or `interpret` throws, or another request's failure
   */
  async ask<Value>(
    request: WireRequest,
    how: Asking,
    signal: AbortSignal,
    interpret: (exchanged: TriedExchange) => Value,
  ): Promise<Value> {
    const since = how.since ?? this.#failures;
    const run = (linked: AbortSignal) =>
      this.#turns.take(async () => {
        this.#assertWorks(request, how, since);
        how.check?.();
        const sending = { ...how, tls: this.tls };
        const exchanged = await exchange(request, sending, this.services.tools, linked);
        return this.#judged(request, how, exchanged, interpret);
      }, linked);
    return how.outlivesClose ? run(signal) : this.services.untilClosed(signal, run);
  }

  #assertWorks({ url }: WireRequest, { retryForMs }: Asking, since: number): void {
    const totalMs = retryForMs ?? this.services.tools.limits.totalMs;
    const failure = this.#failures > since ? this.#failure : undefined;
    if (failure === undefined || failure.totalMs < totalMs) return;
    if (failure.url !== undefined && failure.url !== url) return;
    throw unsent(failure.error, ", as another one to this service failed:");
  }

  /** Interprets an outcome, and remembers what it says of the service. */
  #judged<Value>(
    { method, url }: WireRequest,
    { retryForMs }: Asking,
    exchanged: TriedExchange,
    interpret: (exchanged: TriedExchange) => Value,
  ): Value {
    const { outcome } = exchanged;
    const { clock, limits } = this.services.tools;
    if (outcome.kind === "fault" && outcome.fault === "cancelled") return interpret(exchanged);
    const isSilent = outcome.kind === "fault" && SILENT.includes(outcome.fault);
    this.#silence = isSilent ? { exchanged, at: clock() } : undefined;
    const isFailure = isOfService(outcome, method);
    if (!isFailure) this.#failure = undefined;
    try {
      return interpret(exchanged);
    } catch (error) {
      if (isFailure && IamTokensError.is(error)) {
        const isOfUrl = outcome.kind === "answer" && !isPassing(outcome);
        const totalMs = retryForMs ?? limits.totalMs;
        this.#failures += 1;
        this.#failure = { error, totalMs, url: isOfUrl ? url : undefined };
      }
      throw error;
    }
  }
}

const SILENT: readonly FaultKind[] = ["connect_timeout", "no_answer"];

/**
 * Whether an outcome that is an error says as much of the service, or of what is between, as of the
 * request: a fault, an answer that may pass, another place, or a token that did not arrive whole.
 */
function isOfService(outcome: Outcome, method: WireRequest["method"]): boolean {
  if (outcome.kind === "fault" || isPassing(outcome)) return true;
  const { status, end } = outcome;
  if (status < 300) return end !== "complete" && end !== "unread";
  const isTheirs = () => isKeystones({ ...outcome, json: jsonOf(outcome) });
  return status < 400 || (status === 404 && method === "POST" && !isTheirs());
}

/** The error of another request, for one that was not sent: the message never hides that. */
export function unsent(error: IamTokensError, why: string): IamTokensError {
  const unsent = "No request was sent";
  const { fact, headline } = error.parts;
  return error.with({
    fact: words`${unsent}${why} ${fact}`,
    ...defined({ headline: headline && words`${unsent}: ${headline}` }),
  });
}
