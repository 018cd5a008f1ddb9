import type { Socket } from "node:net";
import type { BreakFault } from "../config/faults";
import { headBytes, type WireAnswer } from "../identity/exchange";

/** The connection of a request, below HTTP. */
export interface WireContext {
  /** The destination: with TLS, the encrypted stream. */
  readonly socket: Socket;
  /** The TCP connection below it. */
  readonly connection: Socket;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The server is stopping. */
  readonly signal: AbortSignal;
}

/** If the client leaves or the server stops, sending ends early, without an error. */
export class Wire {
  readonly #at: WireContext;

  constructor(context: WireContext) {
    this.#at = context;
  }

  /** Resolves when the bytes have left: a later reset must not overtake them. */
  async send(bytes: Buffer): Promise<void> {
    if (bytes.length === 0 || this.isOver) return;
    await new Promise<void>((resolve) => {
      const { socket } = this.#at;
      const done = () => {
        socket.off("close", done);
        resolve();
      };
      socket.once("close", done);
      socket.write(bytes, done);
    });
  }

  async wait(milliseconds: number): Promise<void> {
    await this.#at.wait(milliseconds, this.#at.signal);
  }

  /** After silence, the connection stays open until the client leaves or the server stops. */
  end(how: BreakFault["kind"]): void {
    if (this.isOver) return;
    if (how === "reset") this.#at.connection.resetAndDestroy();
    else if (how === "close") this.#at.socket.end();
  }

  get isOver(): boolean {
    const { socket, signal } = this.#at;
    return signal.aborted || socket.destroyed || socket.writableEnded;
  }
}

/** Breaks a connection instead of the answer, or in the middle of its body. */
export async function breakOff(
  answer: WireAnswer,
  { kind, when }: BreakFault,
  wire: Wire,
): Promise<void> {
  const { body } = answer;
  if (when === "in_body")
    await wire.send(
      Buffer.concat([headBytes(answer), body.subarray(0, Math.floor(body.length / 2))]),
    );
  wire.end(kind);
}
