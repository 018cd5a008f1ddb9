import { STATUS_CODES } from "node:http";
import type { Directory } from "./directory";
import type { Noted } from "./journal";
import type { TokenRegister } from "./token-register";

/** A request as it came, by a socket or without one. */
export interface RawRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined: larger than Keystone takes. */
  readonly body: Buffer | undefined;
  /** The origin that the client used, from its Host header: Keystone builds links from it. */
  readonly origin: string;
}

/**
 * A request as a handler gets it: the body as a JSON object, undefined without a body. Whatever
 * else a body is, it is refused before.
 */
export type IdentityRequest = Omit<RawRequest, "body"> & {
  readonly json: Readonly<Record<string, unknown>> | undefined;
};

/** An answer, apart from the socket that it goes to. */
export interface IdentityAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly noted: Noted;
  /** What is answered around Keystone, and not by it, has none. */
  readonly hasRequestId: boolean;
}

/** What the handlers work on. */
export interface IdentityState {
  readonly directory: Directory;
  readonly tokens: TokenRegister;
}

/**
 * An answer as it goes over a connection: header lines in order, doubled ones possible, and the
 * bytes of the body.
 */
export interface WireAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Completes an answer with what every answer of the service has. */
export function toWireAnswer(
  answer: IdentityAnswer,
  { requestId, date }: { readonly requestId: string | null; readonly date: Date },
): WireAnswer {
  const body = Buffer.from(answer.body);
  return {
    status: answer.status,
    headers: [
      // In place of Node's own, which would not go by the injected clock.
      ["Date", date.toUTCString()],
      ...Object.entries(answer.headers),
      ...(requestId === null ? [] : [["x-openstack-request-id", requestId] as const]),
      ...(answer.status === 204 ? [] : [["Content-Length", String(body.length)] as const]),
    ],
    body,
  };
}

/** The head of an answer as bytes, up to and with the empty line. */
export function headBytes(
  { status, headers }: Pick<WireAnswer, "status" | "headers">,
  version = "1.1",
): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `HTTP/${version} ${status} ${reasonPhrase(status)}\r\n${lines.join("")}\r\n`,
    "latin1",
  );
}

/**
 * The text behind the status, as a Keystone under gunicorn writes it: what comes from around
 * Keystone is not in capitals.
 */
export function reasonPhrase(status: number): string {
  const phrase = titleOf(status);
  return status < 500 && status !== 413 ? phrase.toUpperCase() : phrase;
}

/** The name of a status: of 413 Node.js has a newer one than Keystone. */
export function titleOf(status: number): string {
  return status === 413 ? "Request Entity Too Large" : (STATUS_CODES[status] ?? "Unknown");
}
