import type { Server, ServerResponse } from "node:http";
import type { FaultsSettings, IdentityFault } from "../config/faults";
import type { WireAnswer } from "../identity/exchange";
import type { ServerTls } from "../tls/server-tls";
import { answerBeforeService, changeAnswer, type FaultyRequest } from "./change-answer";
import { FaultPlan, type RequestFaults, type WireFault } from "./fault-plan";
import { type Connections, watchConnections } from "./tls-faults";
import { breakOff, Wire, type WireContext } from "./wire";

/** The clock, and the signal of its end. */
interface FaultCircumstances extends Pick<WireContext, "wait" | "signal"> {
  readonly now: () => number;
}

/**
 * Injects the configured faults into the requests of a server. Without a configuration, it does
 * nothing.
 */
export class FaultInjector {
  readonly #at: FaultCircumstances;
  readonly #plan: FaultPlan;
  #connections: Connections = new Map();

  constructor(
    settings: FaultsSettings,
    own: readonly WireFault[] | undefined,
    at: FaultCircumstances,
  ) {
    this.#at = at;
    this.#plan = new FaultPlan(settings, own);
  }

  /** To be called before the server listens. */
  watch(server: Server, tls: ServerTls | undefined): void {
    const connections = watchConnections(server, tls, () => this.#plan.takeForConnection());
    this.#connections = connections;
    // The server does not know connections that have not sent a request.
    this.#at.signal.addEventListener("abort", () => {
      for (const socket of connections.values()) socket.destroy();
    });
  }

  /** The faults of the request that has just arrived. */
  meet(method: string, request: Omit<FaultyRequest, "now">): Encounter {
    const now = this.#at.now();
    return new Encounter({
      ...this.#plan.takeForRequest(method, now),
      closes: this.#plan.wantsNewConnection(),
      request: { ...request, now },
      connections: this.#connections,
      at: this.#at,
    });
  }
}

interface FaultyExchange extends RequestFaults {
  /** Whether the client must open a new connection afterwards. */
  readonly closes: boolean;
  readonly request: FaultyRequest;
  readonly connections: Connections;
  readonly at: FaultCircumstances;
}

/** One request and its faults. */
class Encounter {
  readonly #met: FaultyExchange;

  constructor(met: FaultyExchange) {
    this.#met = met;
  }

  /** The kinds of the faults, for the journal. */
  get kinds(): readonly IdentityFault["kind"][] {
    return this.#met.faults.map(({ kind }) => kind);
  }

  /**
   * The answer of a proxy in front of the service; undefined if the service must answer.
   */
  answerBeforeService(): WireAnswer | undefined {
    for (const fault of this.#met.faults)
      if (fault.kind === "status" || fault.kind === "redirect")
        return answerBeforeService(fault, this.#met.request);
    return undefined;
  }

  /** An answer with its faults. */
  change(answer: WireAnswer): WireAnswer {
    const { faults, own, request } = this.#met;
    let changed = answer;
    for (const fault of faults)
      if (fault.kind === "header" || fault.kind === "body")
        changed = changeAnswer(changed, fault, request);
    return own.change?.(changed, request) ?? changed;
  }

  /**
   * Sends the answer with its fault.
   *
   * @param sendWell sends an answer normally
   */
  async deliver(
    answer: WireAnswer,
    response: ServerResponse,
    sendWell: (answer: WireAnswer, response: ServerResponse) => void,
  ): Promise<void> {
    const { socket } = response;
    if (socket === null) return;
    const { faults, own, closes, connections, at } = this.#met;
    const connection = connections.get(socket.remotePort ?? 0) ?? socket;
    const wire = new Wire({ ...at, socket, connection });
    for (const fault of faults) {
      if (fault.kind === "late") await wire.wait(fault.milliseconds);
      else if (fault.kind === "reset" || fault.kind === "close" || fault.kind === "silence")
        return breakOff(answer, fault, wire);
    }
    if (own.send !== undefined) return own.send(answer, wire);
    const closing = closes ? [["Connection", "close"] as const] : [];
    sendWell({ ...answer, headers: [...answer.headers, ...closing] }, response);
  }
}
