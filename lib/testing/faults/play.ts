import type { Socket } from "node:net";
import type { Step } from "./delivery";

/** What playing needs of the outside. */
export interface Stage {
  /** What is written to: with TLS, the encrypted stream. */
  readonly socket: Socket;
  /** The TCP connection below it. */
  readonly connection: Socket;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The server is stopping. */
  readonly signal: AbortSignal;
}

/**
 * Sends an answer step by step. It ends early, without an error, when the client goes or the server
 * stops.
 */
export async function play(steps: readonly Step[], stage: Stage): Promise<void> {
  for (const step of steps) {
    if (isOver(stage)) return;
    if (step.do === "send") await write(step.bytes, stage);
    else if (step.do === "repeat") await repeat(step, stage);
    else end(step.do, stage);
  }
}

async function repeat(
  { bytes, times, everyMs }: Step & { readonly do: "repeat" },
  stage: Stage,
): Promise<void> {
  for (let time = 0; time < times && !isOver(stage); time++) {
    await write(bytes, stage);
    if (everyMs > 0) await stage.wait(everyMs, stage.signal);
  }
}

/** Resolves when the bytes have left, so that a reset behind them does not overtake them. */
function write(bytes: Buffer, { socket }: Stage): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("close", done);
      resolve();
    };
    socket.once("close", done);
    socket.write(bytes, done);
  });
}

function end(how: "reset" | "close" | "silence", { socket, connection }: Stage): void {
  if (how === "reset") connection.resetAndDestroy();
  else if (how === "close") socket.end();
  // Silence: the connection stays, until the client goes or the server stops.
}

function isOver({ socket, signal }: Stage): boolean {
  return signal.aborted || socket.destroyed || socket.writableEnded;
}
