import type { FaultsSettings, IdentityFault, TlsFault } from "../config/faults";
import type { WireAnswer } from "../identity/exchange";
import type { FaultyRequest } from "./change-answer";
import type { Wire } from "./wire";

/** A fault of this package's own tests, which tests of programs could not tell apart. */
export interface WireFault {
  /** Changes the answer, after all other faults. */
  readonly change?: (answer: WireAnswer, request: FaultyRequest) => WireAnswer;
  /** Sends the answer. Default: the server sends it normally. */
  readonly send?: (answer: WireAnswer, wire: Wire) => Promise<void>;
}

/** The faults of a request. */
export interface RequestFaults {
  readonly faults: readonly Exclude<IdentityFault, TlsFault>[];
  readonly own: WireFault;
}

/** Gives each request its faults, in the order of arrival. Pure, except that it counts. */
export class FaultPlan {
  readonly #settings: FaultsSettings;
  readonly #own: readonly WireFault[];
  #next = 0;
  #second = Number.NEGATIVE_INFINITY;
  #issues = 0;

  constructor(settings: FaultsSettings, own: readonly WireFault[] = []) {
    this.#settings = settings;
    this.#own = own;
  }

  /** The next connection's fault, if it is its turn. */
  takeForConnection(): TlsFault | undefined {
    const fault = this.#nextTls();
    if (fault !== undefined) this.#next += 1;
    return fault;
  }

  /**
   * The next request's faults. A TLS fault waits for the next connection: this request already has
   * one.
   *
   * @param now milliseconds since 1970, by the service's clock
   */
  takeForRequest(method: string, now: number): RequestFaults {
    if ("issuesPerSecond" in this.#settings) {
      const { issuesPerSecond, retryAfter } = this.#settings;
      const isTooMany = method === "POST" && this.#countIssue(now) > issuesPerSecond;
      return { faults: isTooMany ? [{ kind: "status", status: 429, retryAfter }] : [], own: {} };
    }
    if (this.wantsNewConnection()) return { faults: [], own: {} };
    const faults = this.#faultsAt(this.#next).filter((fault) => fault.kind !== "tls");
    const own = this.#own[this.#next] ?? {};
    this.#next += 1;
    return { faults, own };
  }

  /**
   * Whether the next fault is a TLS fault, for which the client must open a new connection.
   */
  wantsNewConnection(): boolean {
    return this.#nextTls() !== undefined;
  }

  #nextTls(): TlsFault | undefined {
    const [fault] = this.#faultsAt(this.#next);
    return fault?.kind === "tls" ? fault : undefined;
  }

  #faultsAt(index: number): readonly IdentityFault[] {
    if (!("script" in this.#settings)) return [];
    const { script, afterwards } = this.#settings;
    return script[afterwards === "last" ? Math.min(index, script.length - 1) : index] ?? [];
  }

  #countIssue(now: number): number {
    const second = Math.floor(now / 1000);
    this.#issues = second === this.#second ? this.#issues + 1 : 1;
    this.#second = second;
    return this.#issues;
  }
}
