import { IdentityClient, type Limits } from "../../../lib/identity";
import { against, at, say, TOKEN } from "../support/against";
import { answerText, type RawRequest, RawServer } from "../support/raw-server";
import { errorOf, idle, PASSWORD_CANARY, TOKEN_CANARY, until } from "../support/wanted";

/**
 * For what is ended by its time. Everything else gets the usual times: a busy machine fails no
 * test.
 */
const SHORT: Partial<Limits> = { requestMs: 400 };
const ENDED_BY_TIME: readonly string[] = ["ERR_NO_ANSWER", "ERR_ANSWER_TOO_SLOW"];

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

/** Ends with the connection of the first request. */
const ended = (server: RawServer) => until(() => server.requests[0]?.socket.destroyed !== false);

const echo = ({ body }: RawRequest) => body;

describe("faults of a service, their messages and the number of requests", () => {
  test.each<{
    readonly name: string;
    readonly code: string;
    readonly tries: number;
    readonly respond: (request: RawRequest) => void;
  }>([
    {
      name: "401 that echoes the request",
      code: "ERR_CREDENTIALS_REJECTED",
      tries: 1,
      respond: (r) => say(answerText("401 Unauthorized", [], echo(r)))(r),
    },
    {
      name: "400 that echoes the request",
      code: "ERR_REQUEST_REFUSED",
      tries: 1,
      respond: (r) => say(answerText("400 Bad Request", [], echo(r)))(r),
    },
    {
      name: "500 that echoes the request",
      code: "ERR_SERVICE_FAILED",
      tries: 4,
      respond: (r) => say(answerText("500 Oops", [], echo(r)))(r),
    },
    {
      name: "500 in HTML",
      code: "ERR_SERVICE_FAILED",
      tries: 4,
      respond: say(answerText("500 Oops", ["Content-Type: text/html"], "<html>oops</html>")),
    },
    {
      name: "404 in HTML",
      code: "ERR_ENDPOINT_NOT_FOUND",
      tries: 1,
      respond: say(answerText("404 Not Found", [], "<html></html>")),
    },
    {
      name: "429",
      code: "ERR_RATE_LIMITED",
      tries: 4,
      respond: say(answerText("429 Too Many Requests")),
    },
    {
      name: "429 with an hour to wait",
      code: "ERR_RATE_LIMITED",
      tries: 1,
      respond: say(answerText("429 Too Many Requests", ["Retry-After: 3600"])),
    },
    {
      name: "redirect to itself",
      code: "ERR_REDIRECTED",
      tries: 1,
      respond: (r) => say(answerText("302 Found", ["Location: /identity/v3/auth/tokens"]))(r),
    },
    {
      name: "redirect elsewhere",
      code: "ERR_REDIRECTED",
      tries: 1,
      respond: say(
        answerText("307 Temporary Redirect", [`Location: http://127.0.0.1:1/${PASSWORD_CANARY}`]),
      ),
    },
    {
      name: "200 with a token",
      code: "ERR_ANSWER_UNEXPECTED",
      tries: 1,
      respond: say(answerText("200 OK", [TOKEN])),
    },
    {
      name: "201 without header",
      code: "ERR_TOKEN_HEADER_MISSING",
      tries: 1,
      respond: say(answerText("201 Created")),
    },
    {
      name: "201 with two",
      code: "ERR_TOKEN_HEADER_DUPLICATED",
      tries: 1,
      respond: say(answerText("201 Created", [TOKEN, "x-subject-token: b"])),
    },
    {
      name: "201 with two, and more between them than Node.js counts by itself",
      code: "ERR_TOKEN_HEADER_DUPLICATED",
      tries: 1,
      respond: say(
        answerText("201 Created", [TOKEN, ...Array.from({ length: 1100 }, () => "a: b"), TOKEN]),
      ),
    },
    {
      name: "201 with an empty one",
      code: "ERR_TOKEN_HEADER_EMPTY",
      tries: 1,
      respond: say(answerText("201 Created", ["X-Subject-Token:   "])),
    },
    {
      name: "201 with a long one",
      code: "ERR_TOKEN_HEADER_TOO_LARGE",
      tries: 1,
      respond: say(answerText("201 Created", [TOKEN.repeat(300)])),
    },
    {
      name: "201 with a monstrous one",
      code: "ERR_TOKEN_HEADER_TOO_LARGE",
      tries: 1,
      respond: say(answerText("201 Created", [TOKEN.repeat(5000)])),
    },
    {
      name: "201 with a million headers",
      code: "ERR_TOKEN_HEADER_TOO_LARGE",
      tries: 1,
      respond: say(`HTTP/1.1 201 Created\r\n${"a: b\r\n".repeat(100_000)}\r\n`),
    },
    {
      name: "201 with bytes above ASCII",
      code: "ERR_TOKEN_HEADER_UNPRINTABLE",
      tries: 1,
      respond: say(answerText("201 Created", ["X-Subject-Token: a\u00e4b"])),
    },
    {
      name: "201 with a control character",
      code: "ERR_TOKEN_HEADER_UNPRINTABLE",
      tries: 1,
      respond: say(answerText("201 Created", ["X-Subject-Token: a\u0001b"])),
    },
    {
      name: "201 with a token in two lines",
      code: "ERR_TOKEN_HEADER_UNPRINTABLE",
      tries: 1,
      respond: say(answerText("201 Created", ["X-Subject-Token: a\r\n b"])),
    },
    {
      name: "201 with a line behind Content-Length that is not a header",
      code: "ERR_ANSWER_UNEXPECTED",
      tries: 1,
      respond: say("HTTP/1.1 201 Created\r\nContent-Length: 5\r\nno header\r\n\r\n"),
    },
    {
      name: "201 that drips",
      code: "ERR_ANSWER_TOO_SLOW",
      tries: 1,
      respond: drip(`HTTP/1.1 201 Created\r\n${TOKEN}\r\nContent-Length: 1000000\r\n\r\n{`, " "),
    },
    {
      name: "201 that stops in its body",
      code: "ERR_ANSWER_TOO_SLOW",
      tries: 1,
      respond: say(`HTTP/1.1 201 Created\r\n${TOKEN}\r\nContent-Length: 5\r\n\r\n{`),
    },
    {
      name: "a head that drips",
      code: "ERR_NO_ANSWER",
      tries: 4,
      respond: drip("HTTP/1.1 201 Created\r\nX-A: ", "a"),
    },
    {
      name: "1xx without end",
      code: "ERR_NO_ANSWER",
      tries: 4,
      respond: drip("", "HTTP/1.1 102 Processing\r\n\r\n"),
    },
    { name: "silence", code: "ERR_NO_ANSWER", tries: 4, respond: () => {} },
    {
      name: "a reset instead of an answer",
      code: "ERR_CONNECTION_FAILED",
      tries: 9,
      respond: ({ socket }) => socket.resetAndDestroy(),
    },
    {
      name: "an end instead of an answer",
      code: "ERR_CONNECTION_FAILED",
      tries: 9,
      respond: ({ socket }) => socket.end(),
    },
    {
      name: "an end in the head",
      code: "ERR_CONNECTION_FAILED",
      tries: 9,
      respond: ({ socket }) => socket.end("HTTP/1.1 201 Cre"),
    },
    {
      name: "a reset in the head",
      code: "ERR_CONNECTION_FAILED",
      tries: 9,
      respond: ({ socket }) =>
        socket.write("HTTP/1.1 201 Created\r\nX-", () => socket.resetAndDestroy()),
    },
    {
      name: "something that is not HTTP",
      code: "ERR_ANSWER_UNEXPECTED",
      tries: 1,
      respond: say("SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    },
    {
      name: "100 before a 201 that has a token",
      code: "ERR_ANSWER_UNEXPECTED",
      tries: 1,
      respond: say(`HTTP/1.1 100 Continue\r\n\r\n${answerText("201 Created", [TOKEN])}`),
    },
    {
      name: "an upgrade",
      code: "ERR_ANSWER_UNEXPECTED",
      tries: 1,
      respond: say(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
      ),
    },
    {
      name: "101 that names no protocol",
      code: "ERR_ANSWER_UNEXPECTED",
      tries: 1,
      respond: say("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
    },
    {
      name: "a status below 100",
      code: "ERR_ANSWER_UNEXPECTED",
      tries: 1,
      respond: say(answerText("099 Odd", [TOKEN])),
    },
  ])("$name: $code, $tries times", async ({ code, tries, respond }) => {
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
  test.each<{ readonly name: string; readonly respond: (request: RawRequest) => void }>([
    // More than Node.js takes by default.
    {
      name: "an answer with 24 KiB of headers",
      respond: say(answerText("201 Created", [`X-Other: ${"x".repeat(24 * 1024)}`, TOKEN], body)),
    },
    {
      name: "a line that ends in blanks and tabs",
      respond: say(answerText("201 Created", [`${TOKEN} \t `], body)),
    },
    {
      name: "an answer in chunks",
      respond: say(
        `HTTP/1.1 201 Created\r\n${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ),
    },
    {
      name: "HTTP/1.0 that ends with the connection",
      respond: ({ socket }) => socket.end(`HTTP/1.0 201 Created\r\n${TOKEN}\r\n\r\n${body}`),
    },
    {
      name: "an answer after hints",
      respond: say(
        `HTTP/1.1 103 Early Hints\r\nX-Subject-Token: no\r\n\r\n${answerText("201 Created", [TOKEN], body)}`,
      ),
    },
    {
      name: "an answer that is cut off in its body",
      respond: ({ socket }) =>
        socket.end(`HTTP/1.1 201 Created\r\n${TOKEN}\r\nContent-Length: 500\r\n\r\n${body}`),
    },
    {
      name: "an answer with a broken chunk",
      respond: say(`HTTP/1.1 201 Created\r\n${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
    },
    {
      name: "an answer with a compressed body",
      respond: say(
        answerText("201 Created", [TOKEN, "Content-Encoding: gzip"], "\u001f\u0008 packed"),
      ),
    },
    {
      name: "an answer that comes in single bytes",
      respond: ({ socket }) => {
        socket.setNoDelay(true);
        for (const byte of answerText("201 Created", [TOKEN], body)) socket.write(byte);
      },
    },
    {
      name: "the answer after a 503",
      respond: (request) =>
        say(
          request.number === 1 ? answerText("503 Busy") : answerText("201 Created", [TOKEN], body),
        )(request),
    },
    {
      name: "the answer after a reset",
      respond: (request) =>
        request.number === 1
          ? request.socket.resetAndDestroy()
          : say(answerText("201 Created", [TOKEN]))(request),
    },
  ])("$name", async ({ respond }) => {
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
      await until(() => server.requests.length > 0);
      controller.abort();
      expect((await work).code).toBe("ERR_CANCELLED");
      await ended(server);
    });
  });

  test("close ends the connections that are kept", async () => {
    const server = await RawServer.start(say(answerText("201 Created", [TOKEN])));
    const client = new IdentityClient();
    await client.obtain(at(server), idle());
    expect(server.open).toBe(1);
    await client.close();
    await until(() => server.open === 0);
    await server.close();
  });
});
