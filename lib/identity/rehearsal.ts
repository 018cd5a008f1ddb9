import { parseAuthUrl, Secret } from "../tokens";
import { IdentityClient } from "./identity-client";
import { limitsOf } from "./limits";
import { AnsweringSocket } from "./transport/answering-socket";
import { HttpTransport } from "./transport/http-transport";

interface Rehearsal {
  /** Whether to read the public authorities, which takes a process 20 ms, once. */
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
  const connect = async () => new AnsweringSocket(answerAt(now()));
  const transport = new HttpTransport({ limits: limitsOf(), env: {}, now, connect });
  const client = new IdentityClient({ transport, now });
  const account = { name: "rehearsal" };
  const credential = {
    way: "password" as const,
    // In both cases nothing is encrypted.
    authUrl: parseAuthUrl(secure ? "https://127.0.0.1" : "http://127.0.0.1"),
    user: { name: "rehearsal", domain: account },
    secret: Secret.of("rehearsal"),
  };
  await client
    .obtain({ credential, scope: { kind: "account", account } }, AbortSignal.timeout(timeoutMs))
    .catch(() => {});
  await client.close().catch(() => {});
}

function answerAt(time: number): string {
  const at = (moment: number) => new Date(moment).toISOString().replace("Z", "000Z");
  const body = JSON.stringify({
    token: {
      user: { name: "rehearsal" },
      issued_at: at(time),
      expires_at: at(time + 3_600_000),
    },
  });
  return [
    "HTTP/1.1 201 CREATED",
    `Date: ${new Date(time).toUTCString()}`,
    "Content-Type: application/json",
    "X-Subject-Token: not-a-token",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}
