import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerTls } from "../identity/listening";
import { headBytes, type WireAnswer } from "../identity/wire-answer";
import { answerInFront, changeAnswer, type FaultyRequest, isInFront } from "./change-answer";
import { plainSteps, type Step, stepsOf } from "./delivery";
import type { AnswerFault, FaultsConfig } from "./fault";
import { FaultPlan, type RequestFault } from "./fault-plan";
import { play } from "./play";
import { RateLimiter } from "./rate-limiter";
import { type Connections, watchConnections } from "./tls-faults";

/** Where time comes from, and when it ends. */
export interface FaultCircumstances {
  readonly now: () => number;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Lets things go wrong with the requests of a server, as configured. One without a configuration
 * does nothing.
 */
export class FaultInjector {
  readonly #at: FaultCircumstances;
  readonly #plan: FaultPlan;
  readonly #limiter: RateLimiter | undefined;
  #connections: Connections = new Map();

  constructor(config: FaultsConfig, options: { readonly tls: boolean }, at: FaultCircumstances) {
    this.#at = at;
    this.#plan = new FaultPlan(config, options);
    this.#limiter = "issuesPerSecond" in config ? new RateLimiter(config) : undefined;
  }

  /** Before the server listens. */
  watch(server: Server, tls: ServerTls | undefined): void {
    const connections = watchConnections(server, tls, () => this.#plan.takeForConnection());
    this.#connections = connections;
    // What has not come as far as a request the server does not know as a connection.
    this.#at.signal.addEventListener("abort", () => {
      for (const socket of connections.values()) socket.destroy();
    });
  }

  /** What the request that has just come meets. */
  meet(method: string): Encounter {
    const faults = this.#plan.takeForRequest();
    const refusal = method === "POST" ? this.#limiter?.refuse(this.#at.now()) : undefined;
    return new Encounter(
      refusal === undefined ? faults : [refusal],
      this.#plan.wantsNewConnection(),
      this.#connections,
      this.#at,
    );
  }
}

/** One request and its faults. */
export class Encounter {
  readonly #faults: readonly RequestFault[];
  readonly #closes: boolean;
  readonly #connections: Connections;
  readonly #at: FaultCircumstances;

  constructor(
    faults: readonly RequestFault[],
    closes: boolean,
    connections: Connections,
    at: FaultCircumstances,
  ) {
    this.#faults = faults;
    this.#closes = closes;
    this.#connections = connections;
    this.#at = at;
  }

  /** The kinds of the faults, for the journal. */
  get kinds(): readonly RequestFault["kind"][] {
    return this.#faults.map(({ kind }) => kind);
  }

  /**
   * The answer of what stands in front of the service; undefined when the service is to be asked.
   */
  inFront(request: Omit<FaultyRequest, "now">): WireAnswer | undefined {
    const fault = this.#faults.find(isInFront);
    return fault === undefined
      ? undefined
      : this.#changed(answerInFront(fault, { ...request, now: this.#at.now() }), request);
  }

  /** The service's answer with what goes wrong in it. */
  change(answer: WireAnswer, request: Omit<FaultyRequest, "now">): WireAnswer {
    return this.#changed(answer, request);
  }

  /**
   * Sends the answer as its fault has it.
   *
   * @param sendWell sends an answer as it should be sent
   */
  async deliver(
    answer: WireAnswer,
    response: ServerResponse,
    sendWell: (answer: WireAnswer, response: ServerResponse) => void,
  ): Promise<void> {
    const { socket } = response;
    if (socket === null) return;
    const fault = this.#faults.find((one) => !isOfAnswer(one));
    if (fault?.kind === "late") await this.#at.wait(fault.milliseconds, this.#at.signal);
    if (
      fault === undefined ||
      isOfAnswer(fault) ||
      fault.kind === "late" ||
      fault.kind === "extra_answer"
    ) {
      if (isUnsendable(answer)) return this.#play(plainSteps(answer), socket);
      const closing = this.#closes ? [["Connection", "close"] as const] : [];
      if (fault?.kind === "extra_answer")
        response.once("finish", () => socket.write(extraAnswer()));
      sendWell({ ...answer, headers: [...answer.headers, ...closing] }, response);
      return;
    }
    await this.#play(stepsOf(answer, fault), socket);
  }

  #changed(answer: WireAnswer, request: Omit<FaultyRequest, "now">): WireAnswer {
    const now = this.#at.now();
    return this.#faults.reduce(
      (changed, fault) =>
        isOfAnswer(fault) && !isInFront(fault)
          ? changeAnswer(changed, fault, { ...request, now })
          : changed,
      answer,
    );
  }

  #play(steps: readonly Step[], socket: Socket): Promise<void> {
    const connection = this.#connections.get(socket.remotePort ?? 0) ?? socket;
    return play(steps, { socket, connection, wait: this.#at.wait, signal: this.#at.signal });
  }
}

function isOfAnswer(fault: RequestFault): fault is AnswerFault {
  return (
    fault.kind === "status" ||
    fault.kind === "redirect" ||
    fault.kind === "header" ||
    fault.kind === "body"
  );
}

/** Node's server refuses to send control characters, as it should. */
function isUnsendable({ headers }: WireAnswer): boolean {
  return headers.some(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value));
}

/** With a token that nobody was issued. */
function extraAnswer(): Buffer {
  const headers = [
    ["X-Subject-Token", "unasked-token"],
    ["Content-Length", "0"],
  ] as const;
  return headBytes({ status: 201, headers });
}
