import { STATUS_CODES } from "node:http";
import type { IdentityAnswer } from "./exchange";

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
