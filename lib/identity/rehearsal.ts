import { Duplex } from "node:stream";
import { parseAuthUrl, Secret } from "../tokens";
import { IdentityClient } from "./identity-client";
import { limitsOf } from "./limits";
import type { Connect } from "./transport/connector";
import { HttpTransport } from "./transport/http-transport";

export interface Rehearsal {
  /** Whether the public authorities are read, too, which takes a process 20 ms, once. */
  readonly secure: boolean;
  /** Milliseconds since 1970. @default the machine's clock */
  readonly now?: () => number;
}

const TIMEOUT_MS = 1_000;

/**
 * Goes once through all that issuing a token needs, without a network and for nobody: functions are
 * compiled and the parser of HTTP is made ready by being used. Done in a pause, it saves the first
 * real request that time. What comes of it does not matter, so that it never rejects.
 */
export async function rehearseIssue({ secure, now = Date.now }: Rehearsal): Promise<void> {
  const connect: Connect = async () => new AnsweringSocket(answerAt(now()));
  const transport = new HttpTransport({ limits: limitsOf(), env: {}, now, connect });
  const client = new IdentityClient({ transport, now });
  const credential = {
    // Nothing is encrypted either way.
    authUrl: parseAuthUrl(secure ? "https://127.0.0.1" : "http://127.0.0.1"),
    accountId: "rehearsal",
    userName: "rehearsal",
    password: Secret.of("rehearsal"),
  };
  await client
    .obtain({ credential, scope: { kind: "account" } }, AbortSignal.timeout(TIMEOUT_MS))
    .catch(() => {});
  await client.close().catch(() => {});
}

/** A connection to nowhere: whatever is written is answered. */
class AnsweringSocket extends Duplex {
  constructor(private readonly answer: string) {
    super();
  }

  // What the pool asks of a socket.
  setKeepAlive(): void {}
  setTimeout(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
    if (this.readableLength === 0) this.push(this.answer);
  }
}

function answerAt(time: number): string {
  const at = (moment: number) => new Date(moment).toISOString().replace("Z", "000Z");
  const body = JSON.stringify({
    token: {
      methods: ["password"],
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
    "x-openstack-request-id: req-rehearsal",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}
