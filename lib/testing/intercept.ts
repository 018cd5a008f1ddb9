import { type ServerResponse, STATUS_CODES } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorCodeOf, IamTokensError } from "../tokens";

/** A request, before the service has seen it. @see docs/testing.md */
export interface InterceptedRequest {
  /** From 1, over all requests of the service. */
  readonly number: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** An answer, as the client gets it. @see docs/testing.md */
export interface Answer {
  readonly status: number;
  /**
   * In this order; a name may be there twice. `Content-Length` is added if it is not among them.
   * Default: none.
   */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Default: empty. */
  readonly body?: string | Uint8Array;
}

/** The answer of the service. */
export interface ServedAnswer extends Required<Answer> {
  readonly body: string;
}

/**
 * Instead of an answer, the connection is reset, is closed, or stays open without further bytes
 * until the client leaves or the service stops.
 */
export interface Cut {
  readonly cut: "reset" | "close" | "silence";
  /** Sent before, as they are: for instance a part of {@link bytesOf} an answer. Default: none. */
  readonly bytes?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** The reaction that a client gets to a request. */
export type Reaction = Answer | Cut;

/**
 * Decides what a client gets. Without a call of `serve`, the service does not see the request: it
 * issues nothing, and the journal does not have it. If the function throws, or what it returns
 * cannot be sent, the connection is cut, and `stop()` throws that error.
 *
 * @see docs/testing.md
 * @example
 * const intercept: Intercept = ({ number }, serve) => (number === 1 ? { status: 503 } : serve());
 */
export type Intercept = (
  request: InterceptedRequest,
  serve: () => ServedAnswer,
) => Reaction | Promise<Reaction>;

/** An answer as it is sent: its head and its body. */
export function bytesOf(answer: Answer): Buffer {
  const lines = linesOf(answer).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${answer.status} ${titleOf(answer.status)}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(answer.body ?? "")]);
}

/** Sends what a reaction says. */
export async function deliver(reaction: Reaction, response: ServerResponse): Promise<void> {
  const { socket } = response;
  if (socket === null || socket.destroyed) return;
  assertReaction(reaction);
  if (!("cut" in reaction)) {
    const { status, body = "" } = reaction;
    // Only what the answer has: a fault may have removed the header.
    response.sendDate = false;
    // As a flat list, which keeps repeated lines.
    response.writeHead(status, titleOf(status), linesOf(reaction).flat());
    response.end(body);
    return;
  }
  const { cut, bytes } = reaction;
  if (bytes !== undefined) {
    await pipeline(Readable.from(bytes), socket, { end: false });
    // A reset must not overtake them.
    await new Promise<void>((resolve) => socket.write("", () => resolve()));
  }
  if (cut === "reset") socket.resetAndDestroy();
  else if (cut === "close") socket.end();
}

/** In JavaScript, a forgotten `return` would look like a fault of the network. */
function assertReaction(reaction: Partial<Answer & Cut> | undefined): void {
  const { status, cut } = reaction ?? {};
  if (cut === undefined ? typeof status === "number" : CUTS.includes(cut)) return;
  const what = reaction === undefined ? "nothing" : "neither an answer nor a cut";
  throw new IamTokensError("ERR_TESTING_CONFIG_INVALID", `intercept returned ${what}.`, {
    allowed: `serve(), { status, headers, body }, or { cut } with ${CUTS.join(", ")}`,
    remedy: "Look for a path of the function without a return.",
  });
}

const CUTS: readonly Cut["cut"][] = ["reset", "close", "silence"];

/** Whether an answer could not be sent because its client has left. */
export function hasLeft(error: unknown): boolean {
  return /^(E[A-Z]+|ABORT_ERR|ERR_STREAM_\w+)$/.test(errorCodeOf(error) ?? "");
}

function linesOf({ status, headers = [], body = "" }: Answer): NonNullable<Answer["headers"]> {
  const hasLength = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  if (hasLength || status === 204) return headers;
  return [...headers, ["Content-Length", String(Buffer.byteLength(body))]];
}

function titleOf(status: number): string {
  return STATUS_CODES[status] ?? "Unknown";
}
