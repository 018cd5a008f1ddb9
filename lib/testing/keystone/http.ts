import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Answer, InterceptedRequest, ServedAnswer } from "../intercept";
import type { RefusalReason } from "./journal";

/** A request as received. */
export interface IdentityRequest extends Omit<InterceptedRequest, "number"> {
  readonly query: string;
}

/** Keystone's name of the header. */
export const REQUEST_ID = "x-openstack-request-id";

/** An answer of a server around Keystone, which has no request id. */
export function outsideAnswer(
  status: number,
  body: unknown,
  headers: Answer["headers"] = [],
): ServedAnswer {
  const type = ["Content-Type", "application/json"] as const;
  return { status, headers: [type, ...headers], body: `${JSON.stringify(body)}\n` };
}

/** An answer of Keystone. */
export function keystoneAnswer(
  status: number,
  body: unknown,
  headers: NonNullable<Answer["headers"]> = [],
): ServedAnswer {
  const always = [
    ["Vary", "X-Auth-Token"],
    [REQUEST_ID, `req-${randomUUID()}`],
  ] as const;
  return outsideAnswer(status, body, [...headers, ...always]);
}

/** Keystone's reason for a refusal; for nearly all there is none. */
export interface Said {
  readonly message?: string;
  readonly headers?: NonNullable<Answer["headers"]>;
}

/** An answer of Keystone's error shape. */
export function errorAnswer(code: number, { message, headers = [] }: Said = {}): ServedAnswer {
  const title = STATUS_CODES[code];
  const challenge = ["WWW-Authenticate", "Keystone"] as const;
  return keystoneAnswer(
    code,
    { error: { code, message: message ?? title, title } },
    code === 401 ? [challenge, ...headers] : headers,
  );
}

/**
 * A request that Keystone refuses. Its client gets the status; only the journal has the reason.
 */
export class Refusal extends Error {
  constructor(
    readonly reason: RefusalReason,
    readonly status = 401,
    readonly said: Said = {},
  ) {
    super(reason);
  }
}
