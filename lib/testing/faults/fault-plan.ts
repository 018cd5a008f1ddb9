import type { AnswerFault, DeliveryFault, IdentityFault, TlsFault } from "../config/fault";
import type { FaultsSettings } from "../config/fault-schema";
import { randomFaults } from "./random-faults";

/** A fault of a request. */
export type RequestFault = AnswerFault | DeliveryFault;

/** Gives each request its faults, in the order of arrival. Pure, except that it counts. */
export class FaultPlan {
  readonly #faultsAt: (index: number) => readonly IdentityFault[];
  readonly #limit: { readonly issuesPerSecond: number; readonly retryAfter: number } | undefined;
  #next = 0;
  #second = Number.NEGATIVE_INFINITY;
  #issues = 0;

  constructor(settings: FaultsSettings, options: { readonly tls: boolean }) {
    this.#faultsAt = faultsOf(settings, options);
    this.#limit = "issuesPerSecond" in settings ? settings : undefined;
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
  takeForRequest(method: string, now: number): readonly RequestFault[] {
    if (method === "POST" && this.#limit !== undefined && this.#isOneTooMany(now))
      return [{ kind: "status", status: 429, retryAfter: this.#limit.retryAfter }];
    if (this.wantsNewConnection()) return [];
    const faults = this.#faultsAt(this.#next);
    this.#next += 1;
    return faults.filter((fault) => fault.kind !== "tls");
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

  #isOneTooMany(now: number): boolean {
    const second = Math.floor(now / 1000);
    this.#issues = second === this.#second ? this.#issues + 1 : 1;
    this.#second = second;
    return this.#issues > (this.#limit?.issuesPerSecond ?? Number.POSITIVE_INFINITY);
  }
}

function faultsOf(
  settings: FaultsSettings,
  { tls }: { readonly tls: boolean },
): (index: number) => readonly IdentityFault[] {
  if ("script" in settings) {
    const { script, afterwards } = settings;
    const { length } = script;
    return (index) => {
      if (index < length || afterwards === "none") return script[index] ?? [];
      return script[afterwards === "last" ? length - 1 : index % length] ?? [];
    };
  }
  if (!("seed" in settings)) return () => [];
  const faults = randomFaults({ ...settings, tls });
  // Only the newest is kept: they are requested one after another, some repeatedly.
  let drawn: readonly IdentityFault[] = [];
  let at = -1;
  return (index) => {
    for (; at < index; at += 1) drawn = faults.next().value;
    return drawn;
  };
}
