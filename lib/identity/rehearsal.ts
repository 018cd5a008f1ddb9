import { Duplex } from "node:stream";
import { parseAuthUrl, Secret } from "../tokens";
import { IdentityClient } from "./identity-client";
import { limitsOf } from "./limits";
import { HttpTransport } from "./transport/http-transport";

interface Rehearsal {
  /** Whether to read the public authorities, which takes a process up to 20 ms, once. */
  readonly secure: boolean;
  /** Milliseconds since 1970. @default the machine's clock */
  readonly now?: () => number;
  /** Time limit in milliseconds. @default 1000 */
  readonly timeoutMs?: number;
}

/**
 * Runs the whole code for issuing a token once, without a network and without a user: functions are
 * compiled, and the HTTP parser is ready. During a pause, this saves the first real request that
 * time. The result does not matter, so it never rejects.
 */
export async function rehearseIssue({
  secure,
  now = Date.now,
  timeoutMs = 1_000,
}: Rehearsal): Promise<void> {
  const connect = async () => answering(now());
  const transport = new HttpTransport({ limits: limitsOf(), env: {}, now, connect });
  const account = { name: "rehearsal" };
  const credential = {
    way: "password" as const,
    // Nothing is encrypted, but for https its means are made.
    authUrl: parseAuthUrl(secure ? "https://127.0.0.1" : "http://127.0.0.1"),
    user: { name: "rehearsal", domain: account },
    secret: Secret.of("rehearsal"),
  };
  await new IdentityClient({ transport, now })
    .obtain({ credential, scope: { kind: "account", account } }, AbortSignal.timeout(timeoutMs))
    .catch(() => {});
}

/** A connection to nowhere, which answers whatever is written to it. */
function answering(time: number): Duplex {
  const expires_at = new Date(time + 3_600_000).toISOString();
  const body = JSON.stringify({ token: { user: { name: "rehearsal" }, expires_at } });
  const answer = [
    "HTTP/1.1 201 CREATED",
    `Date: ${new Date(time).toUTCString()}`,
    "X-Subject-Token: not-a-token",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
  return new Duplex({
    read: () => {},
    write(_chunk, _encoding, done) {
      this.push(answer);
      done();
    },
  });
}
