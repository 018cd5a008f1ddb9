import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import type { ErrorCode } from "../../../lib/tokens";
import { freePort } from "../../support/loopback-server";
import {
  answerText,
  at,
  clientWith,
  ISSUED,
  type RawRequest,
  type Respond,
  serverWith,
  TOKEN,
} from "../support/against";
import { AUTHORITY, OUTDATED, STRANGER } from "../support/certificates";
import {
  errorOf,
  expectNoCanary,
  idle,
  PASSWORD_CANARY,
  type PasswordRequest,
  requestAt,
  TOKEN_CANARY,
  until,
} from "../support/wanted";

const HEAD = `HTTP/1.1 201 Created\r\n${TOKEN}\r\n`;
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const withHeader = (...lines: readonly string[]) => answerText("201 Created", lines, "{}");

/** Bytes, and then the end of the connection. */
const then =
  (how: "end" | "resetAndDestroy", text = "") =>
  ({ socket }: RawRequest) =>
    socket.write(text, "latin1", () => socket[how]());

/** Bytes, and then a few more again and again. */
const dripping =
  (text: string, drop: string) =>
  ({ socket }: RawRequest) => {
    socket.write(text);
    const timer = setInterval(() => socket.write(drop), 10);
    socket.once("close", () => clearInterval(timer));
  };

test.each<[what: string, respond: Respond, warned?: string]>([
  // More than Node.js takes by default.
  ["24 KiB of headers", withHeader(TOKEN, `a: ${"x".repeat(24_576)}`)],
  ["a line that ends in blanks and tabs", withHeader(`${TOKEN} \t `)],
  [
    "an answer in single bytes",
    ({ socket }) => {
      socket.setNoDelay(true);
      for (const byte of ISSUED) socket.write(byte);
    },
  ],
  ["a body in chunks", `${CHUNKED}2\r\n{}\r\n0\r\n\r\n`],
  ["a body in 300,000 of them", `${CHUNKED}${"1\r\n \r\n".repeat(300_000)}0\r\n\r\n`],
  ["HTTP/1.0", then("end", `${HEAD.replace("1.1", "1.0")}\r\n{}`)],
  ["100 before the answer, unasked", `HTTP/1.1 100 Continue\r\nA: b\r\n\r\n${ISSUED}`],
  ["103 before the answer", `HTTP/1.1 103 Early Hints\r\n\r\n${ISSUED}`],
  ["a second answer behind the first", ISSUED + ISSUED.replace(TOKEN_CANARY, "unasked")],
  [
    "a reset after the head",
    then("resetAndDestroy", `${HEAD}Content-Length: 9\r\n\r\n`),
    "cut off",
  ],
  ["an end in the body", then("end", `${HEAD}Content-Length: 9\r\n\r\n{}`), "cut off"],
  ["a chunk whose size is none", `${CHUNKED}zz\r\n`, "cut off"],
])("%s: the token is taken, by one request", async (_what, respond, warned = "") => {
  const server = await serverWith(respond);
  const before = process.memoryUsage().heapUsed;
  const { token, warnings } = await clientWith().obtain(at(server), idle());
  expect(token.reveal()).toBe(TOKEN_CANARY);
  expect(warnings).toEqual(warned === "" ? [] : [expect.stringContaining(warned)]);
  expect(server.requests).toHaveLength(1);
  // Garbage that is not yet collected counts; an object for each chunk takes 60 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50e6);
});

/** What OpenSSL does not allow by default. */
const WEAK = "DEFAULT@SECLEVEL=0";
const DEMANDING = { ...AUTHORITY.server, ca: AUTHORITY.ca, requestCert: true };
const UNEXPECTED = "ERR_ANSWER_UNEXPECTED";
const FAILED = "ERR_CONNECTION_FAILED";

test.each<[what: string, respond: Respond, code: ErrorCode, says?: string, secure?: TlsOptions]>([
  ["100,000 header lines", `${HEAD}${"a: b\r\n".repeat(100_000)}\r\n`, UNEXPECTED],
  ["a token of 100,000 characters", withHeader(`${TOKEN}${"x".repeat(100_000)}`), UNEXPECTED],
  ["a control character in the token", withHeader(`${TOKEN}\u0001`), UNEXPECTED],
  ["a byte above ASCII in it", withHeader(`${TOKEN}\u00e4`), "ERR_TOKEN_HEADER_INVALID"],
  [
    "two tokens, and more between them than Node.js counts by itself",
    withHeader(TOKEN, ...Array.from({ length: 1100 }, () => "a: b"), TOKEN),
    "ERR_TOKEN_HEADER_INVALID",
  ],
  ["a token in two lines", withHeader("X-Subject-Token: a\r\n b"), UNEXPECTED],
  ["a line that is no header", `${HEAD}Content-Length: 5\r\nno header\r\n\r\n`, UNEXPECTED],
  [
    "an upgrade",
    "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    UNEXPECTED,
  ],
  ["101 that names no protocol", "HTTP/1.1 101 Switching\r\n\r\n", UNEXPECTED],
  ["a status below 100", ISSUED.replace("201", "099"), UNEXPECTED],
  ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", UNEXPECTED, "not usable HTTP"],
  [
    "a redirect to itself",
    answerText("308 Permanent Redirect", ["Location: /identity/v3/auth/tokens"]),
    "ERR_REDIRECTED",
  ],
  [
    "a 401 that echoes the request",
    ({ head, body, socket }) =>
      socket.end(answerText("401 No", [`x-request-id: ${PASSWORD_CANARY}`], head + body)),
    "ERR_CREDENTIALS_REJECTED",
  ],
  // TLS is not tried again: its error is definite, and the password was not sent.
  [
    "a certificate that has expired",
    "",
    "ERR_TLS_FAILED",
    "(certificate has expired)",
    AUTHORITY.expired,
  ],
  [
    "one that is not valid yet",
    "",
    "ERR_TLS_FAILED",
    "(certificate is not yet valid)",
    AUTHORITY.not_yet_valid,
  ],
  [
    "one for another host",
    "",
    "ERR_TLS_FAILED",
    "(Hostname/IP does not match certificate's altnames). Use an",
    AUTHORITY.wrong_name,
  ],
  [
    "one of an unknown CA",
    "",
    "ERR_TLS_FAILED",
    "issuer certificate). Give the service's CA",
    STRANGER.server,
  ],
  [
    "one that is signed with SHA-1",
    "",
    "ERR_TLS_FAILED",
    "too weak). No CA helps: the certificate",
    { ...OUTDATED.server, ciphers: WEAK },
  ],
  [
    "a client certificate that is required by TLS 1.2",
    "",
    "ERR_TLS_FAILED",
    "alert handshake failure). No CA helps: the other side requires a client certificate",
    { ...DEMANDING, maxVersion: "TLSv1.2" },
  ],
  // Only after our handshake has ended.
  [
    "a client certificate that is required by TLS 1.3",
    "",
    "ERR_TLS_FAILED",
    "(tlsv13 alert certificate required). No CA helps: the other side requires a client",
    DEMANDING,
  ],
  [
    "TLS 1.1",
    "",
    "ERR_TLS_FAILED",
    "alert protocol version)",
    {
      ...AUTHORITY.server,
      minVersion: "TLSv1.1",
      maxVersion: "TLSv1.1",
      ciphers: WEAK,
    },
  ],
])("%s: an error, after one try", async (_what, respond, code, says = "", secure) => {
  const server = await serverWith(respond, secure);
  const lines: unknown[] = [];
  const client = clientWith({ log: (...line) => void lines.push(line) });
  const tls = secure && { tls: { ca: AUTHORITY.ca + OUTDATED.ca } };
  const error = await errorOf(client.obtain(at(server, tls), idle()));
  expect(error.code).toBe(code);
  expect(error.message).toContain(says);
  expect(error.message).not.toMatch(/[^\P{Cc}\n]/u);
  expectNoCanary(lines);
  expect(lines).toHaveLength(1);
  expect(server.requests).toHaveLength(secure ? 0 : 1);
});

test.each<[what: string, respond: (request: RawRequest) => void]>([
  ["a reset before the head", then("resetAndDestroy")],
  ["an end before the head", then("end")],
  ["an end in the head", then("end", HEAD)],
])("%s is tried again, until the time for all tries is over", async (_what, respond) => {
  const server = await serverWith(respond);
  const { code, message } = await errorOf(clientWith().obtain(at(server), idle()));
  expect(code).toBe(FAILED);
  expect(message).toContain(" after 10 tries in 19 s.");
  expect(server.requests).toHaveLength(10);
});

test("the try after a reset gets the token", async () => {
  const server = await serverWith((request) =>
    request.number === 1 ? then("resetAndDestroy")(request) : request.socket.write(ISSUED),
  );
  await clientWith().obtain(at(server), idle());
  expect(server.requests).toHaveLength(2);
});

test("where nobody listens, the connection fails, with the code once", async () => {
  const request = requestAt(`http://127.0.0.1:${await freePort()}`);
  const { code, message } = await errorOf(clientWith().obtain(request, idle()));
  expect(code).toBe(FAILED);
  expect(message).toContain("failed (ECONNREFUSED) after 10 tries in 19 s.");
});

test("what never ends is ended by the time for a request, or for a connection", async () => {
  const limits = { requestMs: 2_000, connectMs: 1_000 };
  const endless: readonly [Respond, code: ErrorCode, says: string][] = [
    [() => {}, "ERR_NO_ANSWER", "did not answer within 2 s"],
    [dripping(`${HEAD}a: `, "a"), "ERR_NO_ANSWER", ""],
    [dripping("", "HTTP/1.1 102 Processing\r\n\r\n"), "ERR_NO_ANSWER", ""],
  ];
  // A token was issued.
  const bodies: readonly Respond[] = [
    `${HEAD}Content-Length: 9\r\n\r\n`,
    dripping(`${HEAD}Content-Length: 9999\r\n\r\n`, " "),
    `${CHUNKED}2\r\n{}\r\n`,
  ];
  const client = clientWith({ limits });
  const play = async (request: PasswordRequest, code: ErrorCode, says: string) => {
    const error = await errorOf(client.obtain({ ...request, retryForMs: 0 }, idle()));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(says)]);
  };
  const silent = at(await serverWith(), { tls: {} });
  await Promise.all([
    play(silent, FAILED, "It was accepted, but no TLS began: the port may be one for http."),
    ...bodies.map(async (respond) => {
      const { warnings } = await client.obtain(at(await serverWith(respond)), idle());
      expect(warnings).toEqual([expect.stringContaining("was too slow")]);
    }),
    ...endless.map(async ([respond, ...ends]) => play(at(await serverWith(respond)), ...ends)),
  ]);
});

test.each([
  ["http", "ERR_TLS_FAILED", "does not use TLS on this port", answerText("400 Bad Request")],
  ["an end", FAILED, "failed (ECONNRESET) after 10 tries", ""],
])("%s on the port of https is %s", async (_what, fails, says, text) => {
  const server = await serverWith("", undefined, (socket: Socket) => socket.end(text));
  const { code, message } = await errorOf(clientWith().obtain(at(server, { tls: {} }), idle()));
  expect([code, message]).toEqual([fails, expect.stringContaining(says)]);
});

/** As much as the other side takes, up to 100 MB. */
function flood(head: string, drop: string, sent: { bytes: number }) {
  return ({ socket }: RawRequest) => {
    const block = Buffer.from(drop.repeat(64 * 1024));
    socket.write(head);
    const pour = () => {
      while (!socket.destroyed && sent.bytes < 100e6) {
        sent.bytes += block.length;
        if (!socket.write(block)) {
          socket.once("drain", pour);
          return;
        }
      }
    };
    pour();
  };
}

const INTERIM = "HTTP/1.1 102 Processing\r\nA: b\r\n\r\n";
test.each<[what: string, head: string, says: string, drop?: string]>([
  // What came is recognized by its head.
  ["of a body with Content-Length", `${HEAD}Content-Length: 100000000\r\n\r\n`, "was too long"],
  ["of a body without", `${HEAD}\r\n`, "was too long"],
  ["of a refusal", "HTTP/1.1 401 Unauthorized\r\n\r\n", "[ERR_CREDENTIALS_REJECTED]"],
  ["as the size of a chunk", CHUNKED, "was too long", "0"],
  ["as its extension", `${CHUNKED}1;`, "was too long"],
  ["as interim answers", "", "or more than 2097152 bytes", INTERIM],
  ["as empty lines", "", "or more than 2097152 bytes", "\r\n"],
  ["as a status text", "HTTP/1.1 201 ", "or more than 2097152 bytes"],
])(
  "an answer with 100 MB %s is ended soon after 2 MiB, and is not held in memory",
  async (_what, head, says, drop = "x") => {
    const sent = { bytes: 0 };
    const before = process.memoryUsage().arrayBuffers;
    const server = await serverWith(flood(head, drop, sent));
    const made = clientWith().obtain(at(server), idle());
    expect(
      await made.then(
        ({ warnings }) => String(warnings),
        ({ message }) => message,
      ),
    ).toContain(says);
    await until(() => server.open === 0);
    expect(server.requests).toHaveLength(1);
    // The sockets of both sides buffer more than the 2 MiB.
    expect(sent.bytes).toBeLessThan(20e6);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
  },
);

test("an abort in the middle of an answer ends the connection", async () => {
  const server = await serverWith(`${HEAD}\r\n`);
  const controller = new AbortController();
  const work = errorOf(clientWith().obtain(at(server), controller.signal));
  await until(() => server.requests.length > 0);
  controller.abort();
  expect((await work).code).toBe("ERR_CANCELLED");
  await until(() => server.open === 0);
});
