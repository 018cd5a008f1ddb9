import { IdentityClient, type Limits } from "../../../lib/identity";
import { answerText, type RawRequest, RawServer } from "../support/raw-server";
import { errorOf, idle, PASSWORD_CANARY, requestAt, TOKEN_CANARY, until } from "../support/wanted";

const TOKEN = `X-Subject-Token: ${TOKEN_CANARY}`;
/**
 * For what is ended by its time. Everything else gets the usual times: a busy machine fails no
 * test.
 */
const SHORT: Partial<Limits> = { requestMs: 400 };
const ENDED_BY_TIME: readonly string[] = ["ERR_NO_ANSWER", "ERR_ANSWER_TOO_SLOW"];

/** A client whose waits between tries take no time, against a server that follows a script. */
async function against<Result>(
  respond: (request: RawRequest) => void,
  use: (client: IdentityClient, server: RawServer) => Promise<Result>,
  limits: Partial<Limits> = {},
): Promise<Result> {
  const server = await RawServer.start(respond);
  const client = new IdentityClient({ limits, random: () => 0.5, sleep: async () => {} });
  try {
    return await use(client, server);
  } finally {
    await client.close();
    await server.close();
  }
}

const at = (server: RawServer) => requestAt(`http://127.0.0.1:${server.port}`);
const say = (text: string) => (request: RawRequest) => request.socket.write(text, "latin1");

/** A byte every few milliseconds, until the other side has enough. */
function drip(first: string, byte: string) {
  return ({ socket }: RawRequest) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(byte), 10);
    socket.on("close", () => clearInterval(timer));
  };
}

/** As much as the other side takes, up to 100 MB. */
function flood(head: string, sent: { bytes: number }) {
  return ({ socket }: RawRequest) => {
    const block = Buffer.alloc(64 * 1024, "x");
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

/** A connection that was used is free again some turns of the event loop later. */
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Ends with the connection of the first request. */
const ended = (server: RawServer) => until(() => server.requests[0]?.socket.destroyed !== false);

const echo = ({ body }: RawRequest) => body;

describe("faults of a service, their messages and the number of requests", () => {
  test.each<[string, string, number, (request: RawRequest) => void]>([
    [
      "401 that echoes the request",
      "ERR_CREDENTIALS_REJECTED",
      1,
      (r) => say(answerText("401 Unauthorized", [], echo(r)))(r),
    ],
    [
      "400 that echoes the request",
      "ERR_REQUEST_REFUSED",
      1,
      (r) => say(answerText("400 Bad Request", [], echo(r)))(r),
    ],
    [
      "500 that echoes the request",
      "ERR_SERVICE_FAILED",
      4,
      (r) => say(answerText("500 Oops", [], echo(r)))(r),
    ],
    [
      "500 in HTML",
      "ERR_SERVICE_FAILED",
      4,
      say(answerText("500 Oops", ["Content-Type: text/html"], "<html>oops</html>")),
    ],
    [
      "404 in HTML",
      "ERR_ENDPOINT_NOT_FOUND",
      1,
      say(answerText("404 Not Found", [], "<html></html>")),
    ],
    ["429", "ERR_RATE_LIMITED", 4, say(answerText("429 Too Many Requests"))],
    [
      "429 with an hour to wait",
      "ERR_RATE_LIMITED",
      1,
      say(answerText("429 Too Many Requests", ["Retry-After: 3600"])),
    ],
    [
      "redirect to itself",
      "ERR_REDIRECTED",
      1,
      (r) => say(answerText("302 Found", ["Location: /identity/v3/auth/tokens"]))(r),
    ],
    [
      "redirect elsewhere",
      "ERR_REDIRECTED",
      1,
      say(
        answerText("307 Temporary Redirect", [`Location: http://127.0.0.1:1/${PASSWORD_CANARY}`]),
      ),
    ],
    ["200 with a token", "ERR_ANSWER_UNEXPECTED", 1, say(answerText("200 OK", [TOKEN]))],
    ["201 without header", "ERR_TOKEN_HEADER_MISSING", 1, say(answerText("201 Created"))],
    [
      "201 with two",
      "ERR_TOKEN_HEADER_DUPLICATED",
      1,
      say(answerText("201 Created", [TOKEN, "x-subject-token: b"])),
    ],
    [
      "201 with two, and more between them than Node.js counts by itself",
      "ERR_TOKEN_HEADER_DUPLICATED",
      1,
      say(answerText("201 Created", [TOKEN, ...Array.from({ length: 1100 }, () => "a: b"), TOKEN])),
    ],
    [
      "201 with an empty one",
      "ERR_TOKEN_HEADER_EMPTY",
      1,
      say(answerText("201 Created", ["X-Subject-Token:   "])),
    ],
    [
      "201 with a long one",
      "ERR_TOKEN_HEADER_TOO_LARGE",
      1,
      say(answerText("201 Created", [TOKEN.repeat(300)])),
    ],
    [
      "201 with a monstrous one",
      "ERR_TOKEN_HEADER_TOO_LARGE",
      1,
      say(answerText("201 Created", [TOKEN.repeat(5000)])),
    ],
    [
      "201 with a million headers",
      "ERR_TOKEN_HEADER_TOO_LARGE",
      1,
      say(`HTTP/1.1 201 Created\r\n${"a: b\r\n".repeat(100_000)}\r\n`),
    ],
    [
      "201 with bytes above ASCII",
      "ERR_TOKEN_HEADER_UNPRINTABLE",
      1,
      say(answerText("201 Created", ["X-Subject-Token: a\u00e4b"])),
    ],
    [
      "201 with a control character",
      "ERR_TOKEN_HEADER_UNPRINTABLE",
      1,
      say(answerText("201 Created", ["X-Subject-Token: a\u0001b"])),
    ],
    [
      "201 with a token in two lines",
      "ERR_TOKEN_HEADER_UNPRINTABLE",
      1,
      say(answerText("201 Created", ["X-Subject-Token: a\r\n b"])),
    ],
    [
      "201 with a line behind Content-Length that is not a header",
      "ERR_ANSWER_UNEXPECTED",
      1,
      say("HTTP/1.1 201 Created\r\nContent-Length: 5\r\nno header\r\n\r\n"),
    ],
    [
      "201 that drips",
      "ERR_ANSWER_TOO_SLOW",
      1,
      drip(`HTTP/1.1 201 Created\r\n${TOKEN}\r\nContent-Length: 1000000\r\n\r\n{`, " "),
    ],
    [
      "201 that stops in its body",
      "ERR_ANSWER_TOO_SLOW",
      1,
      say(`HTTP/1.1 201 Created\r\n${TOKEN}\r\nContent-Length: 5\r\n\r\n{`),
    ],
    ["a head that drips", "ERR_NO_ANSWER", 4, drip("HTTP/1.1 201 Created\r\nX-A: ", "a")],
    ["1xx without end", "ERR_NO_ANSWER", 4, drip("", "HTTP/1.1 102 Processing\r\n\r\n")],
    ["silence", "ERR_NO_ANSWER", 4, () => {}],
    [
      "a reset instead of an answer",
      "ERR_CONNECTION_FAILED",
      9,
      ({ socket }) => socket.resetAndDestroy(),
    ],
    ["an end instead of an answer", "ERR_CONNECTION_FAILED", 9, ({ socket }) => socket.end()],
    [
      "an end in the head",
      "ERR_CONNECTION_FAILED",
      9,
      ({ socket }) => socket.end("HTTP/1.1 201 Cre"),
    ],
    [
      "a reset in the head",
      "ERR_CONNECTION_FAILED",
      9,
      ({ socket }) => socket.write("HTTP/1.1 201 Created\r\nX-", () => socket.resetAndDestroy()),
    ],
    ["something that is not HTTP", "ERR_ANSWER_UNEXPECTED", 1, say("SSH-2.0-OpenSSH_9.2\r\n\r\n")],
    [
      "100 before a 201 that has a token",
      "ERR_ANSWER_UNEXPECTED",
      1,
      say(`HTTP/1.1 100 Continue\r\n\r\n${answerText("201 Created", [TOKEN])}`),
    ],
    [
      "an upgrade",
      "ERR_ANSWER_UNEXPECTED",
      1,
      say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
    ],
    [
      "101 that names no protocol",
      "ERR_ANSWER_UNEXPECTED",
      1,
      say("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
    ],
    ["a status below 100", "ERR_ANSWER_UNEXPECTED", 1, say(answerText("099 Odd", [TOKEN]))],
  ])("%s: %s, %d times", async (_name, code, tries, respond) => {
    await against(
      respond,
      async (client, server) => {
        const error = await errorOf(client.obtain(at(server), idle()));
        expect(error.code).toBe(code);
        expect(server.requests).toHaveLength(tries);
        if (tries > 1) expect(error.message).toContain(`after ${tries} tries`);
      },
      ENDED_BY_TIME.includes(code) ? SHORT : {},
    );
  });

  test("nobody listens: a connection that failed, with the code once, after 15 s", async () => {
    const server = await RawServer.start(() => {});
    const request = at(server);
    await server.close();
    const client = new IdentityClient({ sleep: async () => {}, random: () => 0.5 });
    const error = await errorOf(client.obtain(request, idle()));
    await client.close();
    expect(error.code).toBe("ERR_CONNECTION_FAILED");
    expect(error.message).toContain("failed (ECONNREFUSED) after 9 tries in 15 s.");
  });
});

describe("a token is taken from", () => {
  const body = '{"token":{"domain":{"name":"123456"}}}';
  test.each<[string, (request: RawRequest) => void]>([
    // More than Node.js takes by default.
    [
      "an answer with 24 KiB of headers",
      say(answerText("201 Created", [`X-Other: ${"x".repeat(24 * 1024)}`, TOKEN], body)),
    ],
    ["a line that ends in blanks and tabs", say(answerText("201 Created", [`${TOKEN} \t `], body))],
    [
      "an answer in chunks",
      say(
        `HTTP/1.1 201 Created\r\n${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ),
    ],
    [
      "HTTP/1.0 that ends with the connection",
      ({ socket }) => socket.end(`HTTP/1.0 201 Created\r\n${TOKEN}\r\n\r\n${body}`),
    ],
    [
      "an answer after hints",
      say(
        `HTTP/1.1 103 Early Hints\r\nX-Subject-Token: no\r\n\r\n${answerText("201 Created", [TOKEN], body)}`,
      ),
    ],
    [
      "an answer that is cut off in its body",
      ({ socket }) =>
        socket.end(`HTTP/1.1 201 Created\r\n${TOKEN}\r\nContent-Length: 500\r\n\r\n${body}`),
    ],
    [
      "an answer with a broken chunk",
      say(`HTTP/1.1 201 Created\r\n${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
    ],
    [
      "an answer with a compressed body",
      say(answerText("201 Created", [TOKEN, "Content-Encoding: gzip"], "\u001f\u0008 packed")),
    ],
    [
      "an answer that comes in single bytes",
      ({ socket }) => {
        socket.setNoDelay(true);
        for (const byte of answerText("201 Created", [TOKEN], body)) socket.write(byte);
      },
    ],
    [
      "the answer after a 503",
      (request) =>
        say(
          request.number === 1 ? answerText("503 Busy") : answerText("201 Created", [TOKEN], body),
        )(request),
    ],
    [
      "the answer after a reset",
      (request) =>
        request.number === 1
          ? request.socket.resetAndDestroy()
          : say(answerText("201 Created", [TOKEN]))(request),
    ],
  ])("%s", async (_name, respond) => {
    await against(respond, async (client, server) => {
      expect((await client.obtain(at(server), idle())).token.reveal()).toBe(TOKEN_CANARY);
    });
  });
});

describe("bounds", () => {
  test.each([
    ["with Content-Length", "Content-Length: 100000000\r\n\r\n"],
    ["without", "\r\n"],
  ])(
    "a body of 100 MB %s is ended soon after 1 MiB, and is not held in memory",
    async (_name, rest) => {
      const sent = { bytes: 0 };
      const before = process.memoryUsage().arrayBuffers;
      await against(
        flood(`HTTP/1.1 201 Created\r\n${TOKEN}\r\n${rest}`, sent),
        async (client, server) => {
          const error = await errorOf(client.obtain(at(server), idle()));
          expect(error.code).toBe("ERR_ANSWER_TOO_LARGE");
          expect(server.requests).toHaveLength(1);
        },
      );
      // The sockets of both sides buffer more than the 1 MiB.
      expect(sent.bytes).toBeLessThan(20e6);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
    },
  );

  test("a body in single bytes takes hardly more memory than a whole one", async () => {
    const size = 700_000;
    const chunks = `1\r\n \r\n`.repeat(size);
    const before = process.memoryUsage().heapUsed;
    await against(
      say(
        `HTTP/1.1 201 Created\r\n${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
      ),
      async (client, server) => {
        expect((await client.obtain(at(server), idle())).token.reveal()).toBe(TOKEN_CANARY);
      },
    );
    // Garbage that is not yet collected counts; an object for each byte takes 140 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6);
  });

  test("recognizes a refusal with 100 MB of body by its head, and ends the connection", async () => {
    const sent = { bytes: 0 };
    await against(flood("HTTP/1.1 401 Unauthorized\r\n\r\n", sent), async (client, server) => {
      expect((await errorOf(client.obtain(at(server), idle()))).code).toBe(
        "ERR_CREDENTIALS_REJECTED",
      );
      await ended(server);
      expect(sent.bytes).toBeLessThan(20e6);
    });
  });

  test("an abort in the middle of an answer ends the connection", async () => {
    await against(drip(`HTTP/1.1 201 Created\r\n${TOKEN}\r\n\r\n`, " "), async (client, server) => {
      const controller = new AbortController();
      const work = errorOf(client.obtain(at(server), controller.signal));
      while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      expect((await work).code).toBe("ERR_CANCELLED");
      await ended(server);
    });
  });

  // Sooner than they would end by themselves, being idle.
  test("close ends the connections that are kept", async () => {
    const server = await RawServer.start(say(answerText("201 Created", [TOKEN])));
    const client = new IdentityClient();
    await client.obtain(at(server), idle());
    expect(server.open).toBe(1);
    await client.close();
    while (server.open > 0) await new Promise((resolve) => setImmediate(resolve));
    await server.close();
  }, 2_000);
});

describe("connections", () => {
  const ok = say(answerText("201 Created", [TOKEN], "{}"));

  test("are used again, also after a refusal with a body", async () => {
    await against(
      (request) =>
        request.number === 1
          ? say(answerText("404 Not Found", [], "x".repeat(1000)))(request)
          : ok(request),
      async (client, server) => {
        await errorOf(client.obtain(at(server), idle()));
        await turns();
        await client.issueOwn(at(server), idle());
        await turns();
        await client.issueOwn(at(server), idle());
        expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
      },
    );
  });

  test("that the server closed while they were idle cause no error and no further try", async () => {
    await against(ok, async (client, server) => {
      await client.issueOwn(at(server), idle());
      server.requests[0]?.socket.end();
      while (server.open > 0) await new Promise((resolve) => setImmediate(resolve));
      await client.issueOwn(at(server), idle());
      expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
    });
  });

  test("that the server closes as the next request comes cause a further try", async () => {
    await against(
      (request) => (request.number === 2 ? request.socket.resetAndDestroy() : ok(request)),
      async (client, server) => {
        await client.issueOwn(at(server), idle());
        await turns();
        await client.issueOwn(at(server), idle());
        expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
      },
    );
  });

  test("are at most 8, for a hundred requests at the same time", async () => {
    await against(
      (request) => setImmediate(() => ok(request)),
      async (client, server) => {
        await Promise.all(Array.from({ length: 100 }, () => client.issueOwn(at(server), idle())));
        expect(server.requests).toHaveLength(100);
        expect(server.connections).toBeLessThanOrEqual(8);
      },
    );
  });

  test("are at most 8 also when refusals come without the end of their bodies", async () => {
    let most = 0;
    await against(
      say("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n1"),
      async (client, server) => {
        const requests = Array.from({ length: 25 }, (_, number) => {
          const userName = `user-${number}`;
          const { credential, ...rest } = at(server);
          return errorOf(
            client.obtain({ ...rest, credential: { ...credential, userName } }, idle()),
          ).then(({ code }) => {
            most = Math.max(most, server.open);
            return code;
          });
        });
        expect(new Set(await Promise.all(requests))).toEqual(new Set(["ERR_CREDENTIALS_REJECTED"]));
        expect(server.connections).toBe(25);
      },
    );
    // As seen by the service, which hears of the end of the former 8 at the same time as of the
    // next ones.
    expect(most).toBeLessThanOrEqual(16);
  });

  test("carry the request as the spec shows it: one POST, no accept-encoding, the password in the body alone", async () => {
    await against(ok, async (client, server) => {
      await client.obtain(at(server), idle());
      const [request] = server.requests;
      expect(request?.head).toMatch(/^POST \/identity\/v3\/auth\/tokens HTTP\/1\.1\r\n/);
      expect(request?.head.toLowerCase()).toContain("content-type: application/json");
      expect(request?.head.toLowerCase()).not.toContain("encoding");
      expect(request?.head).not.toContain(PASSWORD_CANARY);
      expect(request?.body).toContain(PASSWORD_CANARY);
    });
  });
});
