import { STATUS_CODES } from "node:http";
import type { CatalogServiceSettings } from "../config/settings";
import type { ApplicationCredentials } from "./application-credentials";
import type { Directory } from "./directory";
import type { Federation } from "./federation";
import type { Noted } from "./journal";
import type { TokenRegister } from "./token-register";

/** A request as received, from a socket or without one. */
export interface RawRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined: larger than Keystone accepts. */
  readonly body: Buffer | undefined;
  /** The origin that the client used, from its Host header; Keystone's links use it. */
  readonly origin: string;
}

/**
 * A request for a handler: the body is a JSON object, or undefined without a body. Any other body
 * has been refused before.
 */
export type IdentityRequest = Omit<RawRequest, "body"> & {
  readonly json: Readonly<Record<string, unknown>> | undefined;
};

/** An answer, independent of its socket. */
export interface IdentityAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly noted: Noted;
  /** False for answers of the server around Keystone. */
  readonly hasRequestId: boolean;
}

/** State for the handlers. */
export interface IdentityState {
  readonly directory: Directory;
  readonly tokens: TokenRegister;
  readonly credentials: ApplicationCredentials;
  readonly federation: Federation;
  /** Services besides the identity service. */
  readonly catalog: readonly CatalogServiceSettings[];
  readonly now: () => number;
  readonly random: (size: number) => Buffer;
}

/**
 * An answer as it is sent: header lines in order, possibly repeated, and the bytes of the body.
 */
export interface WireAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Adds the common headers of the service's answers. */
export function toWireAnswer(
  answer: IdentityAnswer,
  { requestId, date }: { readonly requestId: string | null; readonly date: Date },
): WireAnswer {
  const body = Buffer.from(answer.body);
  return {
    status: answer.status,
    headers: [
      // Instead of Node's own, which ignores the injected clock.
      ["Date", date.toUTCString()],
      ...Object.entries(answer.headers),
      ...(requestId === null ? [] : [["x-openstack-request-id", requestId] as const]),
      ...(answer.status === 204 ? [] : [["Content-Length", String(body.length)] as const]),
    ],
    body,
  };
}

/** The head of an answer as bytes, including the empty line. */
export function headBytes({ status, headers }: Pick<WireAnswer, "status" | "headers">): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${titleOf(status)}\r\n${lines.join("")}\r\n`, "latin1");
}

/** The name of a status. */
export function titleOf(status: number): string {
  return STATUS_CODES[status] ?? "Unknown";
}
