import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { LoopbackServer } from "../../support/loopback-server";

/** What a store does with a value that it is given; undefined is an answer of 503. */
export type Taking = (given: string, held: string | undefined) => string | undefined;

export const TAKES: Taking = (given) => given;

/** A secret store that may be a bad one. */
export class Store extends LoopbackServer {
  readonly secrets = new Map<string, string>();
  /** Values that it was given. */
  readonly given: string[] = [];
  taking = TAKES;

  private constructor() {
    super(createServer((request, response) => void this.#answer(request, response)));
  }

  static start(): Promise<Store> {
    return new Store().listen();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.url?.slice(1) ?? "";
    const answer = (status: number, body = "") => response.writeHead(status).end(body);
    if (request.method === "GET" && name === "")
      return void answer(200, [...this.secrets.keys()].join(" "));
    if (request.method === "DELETE") return void answer(this.secrets.delete(name) ? 200 : 404);
    const held = this.secrets.get(name);
    if (request.method === "GET") return void answer(held === undefined ? 404 : 200, held);
    const given = await text(request);
    this.given.push(given);
    const taken = this.taking(given, held);
    if (taken !== undefined) this.secrets.set(name, taken);
    answer(taken === undefined ? 503 : 200);
  }
}
