import type { Server, ServerResponse } from "node:http";
import type { IdentityFault } from "../config/fault";
import type { FaultsSettings } from "../config/fault-schema";
import { headBytes, type WireAnswer } from "../identity/exchange";
import type { ServerTls } from "../tls/server-tls";
import { answerBeforeService, changeAnswer, type FaultyRequest } from "./change-answer";
import { deliverFaulty, deliverPlain } from "./delivery";
import { FaultPlan, type RequestFault } from "./fault-plan";
import { type Connections, watchConnections } from "./tls-faults";

/** The clock, and the signal of its end. */
interface FaultCircumstances {
  readonly now: () => number;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
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
    options: { readonly tls: boolean },
    at: FaultCircumstances,
  ) {
    this.#at = at;
    this.#plan = new FaultPlan(settings, options);
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
  meet(method: string, request: Omit<FaultyRequest, "now">): RequestFaults {
    const now = this.#at.now();
    const faults = this.#plan.takeForRequest(method, now);
    const closes = this.#plan.wantsNewConnection();
    const connections = this.#connections;
    return new RequestFaults({
      faults,
      closes,
      request: { ...request, now },
      connections,
      at: this.#at,
    });
  }
}

interface FaultyExchange {
  readonly faults: readonly RequestFault[];
  /** Whether the client must open a new connection afterwards. */
  readonly closes: boolean;
  readonly request: FaultyRequest;
  readonly connections: Connections;
  readonly at: FaultCircumstances;
}

/** One request and its faults. */
class RequestFaults {
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
    let changed = answer;
    for (const fault of this.#met.faults)
      if (fault.kind === "header" || fault.kind === "body")
        changed = changeAnswer(changed, fault, this.#met.request);
    return changed;
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
    const { faults, closes, connections, at } = this.#met;
    const { wait, signal } = at;
    const connection = connections.get(socket.remotePort ?? 0) ?? socket;
    const wire = { socket, connection, wait, signal };
    for (const fault of faults) {
      switch (fault.kind) {
        case "status":
        case "redirect":
        case "header":
        case "body":
          break;
        case "late":
          await wait(fault.milliseconds, signal);
          break;
        case "extra_answer":
          response.once("finish", () => socket.write(EXTRA_ANSWER));
          break;
        default:
          return deliverFaulty(answer, fault, wire);
      }
    }
    if (isUnsendable(answer)) return deliverPlain(answer, wire);
    const closing = closes ? [["Connection", "close"] as const] : [];
    sendWell({ ...answer, headers: [...answer.headers, ...closing] }, response);
  }
}

/** Node's server rightly refuses to send control characters. */
function isUnsendable({ headers }: WireAnswer): boolean {
  return headers.some(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value));
}

/** With a token that was never issued. */
const EXTRA_ANSWER = headBytes({
  status: 201,
  headers: [
    ["X-Subject-Token", "unasked-token"],
    ["Content-Length", "0"],
  ],
});
