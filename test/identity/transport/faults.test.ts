import { IdentityClient } from "../../../lib/identity";
import type { ErrorCode } from "../../../lib/tokens";
import { against, at, say, TOKEN } from "../support/against";
import { answerText, type RawRequest, RawServer } from "../support/raw-server";
import { errorOf, idle, TOKEN_CANARY, until } from "../support/wanted";

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

// With those of fault-table.test.ts, all that can come instead of a token.
describe("what no server of HTTP sends", () => {
  test.each<[what: string, code: ErrorCode, text: string]>([
    [
      "two tokens, and more between them than Node.js counts by itself",
      "ERR_TOKEN_HEADER_INVALID",
      answerText("201 Created", [TOKEN, ...Array.from({ length: 1100 }, () => "a: b"), TOKEN]),
    ],
    [
      "a token in two lines",
      "ERR_ANSWER_UNEXPECTED",
      answerText("201 Created", ["X-Subject-Token: a\r\n b"]),
    ],
    [
      "a line behind Content-Length that is not a header",
      "ERR_ANSWER_UNEXPECTED",
      "HTTP/1.1 201 Created\r\nContent-Length: 5\r\nno header\r\n\r\n",
    ],
    [
      "an upgrade",
      "ERR_ANSWER_UNEXPECTED",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    ],
    [
      "101 that names no protocol",
      "ERR_ANSWER_UNEXPECTED",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    ],
    ["a status below 100", "ERR_ANSWER_UNEXPECTED", answerText("099 Odd", [TOKEN])],
  ])("%s: %s, and no further try", async (_what, code, text) => {
    await against(say(text), async (client, server) => {
      expect((await errorOf(client.obtain(at(server), idle()))).code).toBe(code);
      expect(server.requests).toHaveLength(1);
    });
  });

  test("nobody listens: a connection that failed, with the code once, within 20 s", async () => {
    const server = await RawServer.start(() => {});
    const request = at(server);
    await server.close();
    const client = new IdentityClient({ sleep: async () => {}, random: () => 0.5 });
    const error = await errorOf(client.obtain(request, idle()));
    await client.close();
    expect(error.code).toBe("ERR_CONNECTION_FAILED");
    expect(error.message).toContain("failed (ECONNREFUSED) after 10 tries in 19 s.");
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
      name: "an answer that comes in single bytes",
      respond: ({ socket }) => {
        socket.setNoDelay(true);
        for (const byte of answerText("201 Created", [TOKEN], body)) socket.write(byte);
      },
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
          expect(error.code).toBe("ERR_ANSWER_INCOMPLETE");
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
    await against(say(`HTTP/1.1 201 Created\r\n${TOKEN}\r\n\r\n`), async (client, server) => {
      const controller = new AbortController();
      const work = errorOf(client.obtain(at(server), controller.signal));
      await until(() => server.requests.length > 0);
      controller.abort();
      expect((await work).code).toBe("ERR_CANCELLED");
      await ended(server);
    });
  });
});
