import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Limits, limitsOf } from "../../../lib/identity";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { answerText, RawServer } from "../support/raw-server";
import { idle, TOKEN_CANARY } from "../support/wanted";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const until = async (holds: () => boolean) => {
  // Before an idle connection ends by itself, and before the test is given up: a loop of nobody's would keep the process.
  const last = performance.now() + 3_000;
  while (!holds()) {
    if (performance.now() > last) throw new Error(`waited in vain for ${holds}`);
    await turn();
  }
};

async function against(
  respond: Parameters<typeof RawServer.start>[0],
  use: (server: RawServer, send: (path?: string, port?: number) => Promise<Outcome>, transport: HttpTransport) => Promise<void>,
  limits: Partial<Limits> = {},
) {
  const server = await RawServer.start(respond);
  const transport = new HttpTransport({ limits: limitsOf(limits), env: {}, now: Date.now });
  const send = (path = "/", port = server.port) =>
    transport.send(
      { method: "POST", url: `http://127.0.0.1:${port}${path}`, headers: {}, body: "{}" },
      { signal: idle(), timeoutMs: 10_000, wantsBody: () => true },
    );
  try {
    await use(server, send, transport);
  } finally {
    await transport.close();
    await server.close();
  }
}

const headerOf = (outcome: Outcome, name: string) =>
  outcome.kind === "answer" ? outcome.headers.find(([each]) => each === name)?.[1] : undefined;

test("a connection is used again, and one request follows the other on it", async () => {
  await against(
    ({ socket, number }) => socket.write(answerText("201 Created", [`X-Number: ${number}`])),
    async (server, send) => {
      for (const number of [1, 2, 3]) {
        expect(headerOf(await send(), "X-Number")).toBe(String(number));
        await turn();
      }
      expect(server.connections).toBe(1);
    },
  );
});

test("an answer to nothing, on an idle connection, is not taken for the answer to the next request", async () => {
  await against(
    ({ socket, number }) => socket.write(answerText("201 Created", [`X-Number: ${number}`])),
    async (server, send) => {
      expect(headerOf(await send(), "X-Number")).toBe("1");
      const first = server.requests[0]?.socket as Socket;
      await turn();
      first.write(answerText("201 Created", ["X-Number: nobody's"]));
      await until(() => first.destroyed);
      expect(headerOf(await send(), "X-Number")).toBe("2");
      expect(server.connections).toBe(2);
    },
  );
});

test("a connection that the service will not keep is not used again", async () => {
  await against(
    ({ socket, number }) => socket.write(answerText("201 Created", [`X-Number: ${number}`, "Connection: close"])),
    async (server, send) => {
      for (const number of [1, 2]) expect(headerOf(await send(), "X-Number")).toBe(String(number));
      expect(server.connections).toBe(2);
    },
  );
});

test("a connection that was made in time may be used for longer than that", async () => {
  const connectMs = 200;
  await against(
    ({ socket, number }) => setTimeout(() => socket.write(answerText("201 Created", [`X-Number: ${number}`])), 2 * connectMs),
    async (server, send) => {
      for (const number of [1, 2]) expect(headerOf(await send(), "X-Number")).toBe(String(number));
      expect(server.connections).toBe(1);
    },
    { connectMs },
  );
});

test("the request is what was asked for, with the length of its body, and names the host as the address does", async () => {
  await against(
    ({ socket }) => socket.write(answerText("201 Created")),
    async (server, send) => {
      await send("/identity/v3/auth/tokens");
      const [request] = server.requests;
      expect(request?.head.split("\r\n")[0]).toBe("POST /identity/v3/auth/tokens HTTP/1.1");
      expect(request?.head.toLowerCase().split("\r\n").slice(1).sort()).toEqual(
        [`host: 127.0.0.1:${server.port}`, "content-length: 2", "connection: keep-alive"].sort(),
      );
      expect(request?.body).toBe("{}");
    },
  );
});

test("a request that was given up before it was sent is not sent", async () => {
  await against(
    ({ socket }) => socket.write(answerText("201 Created")),
    async (server, send, transport) => {
      const url = `http://127.0.0.1:${server.port}/`;
      const outcome = await transport.send(
        { method: "POST", url, headers: {}, body: "given up" },
        { signal: AbortSignal.abort(), timeoutMs: 10_000, wantsBody: () => true },
      );
      expect(outcome).toEqual({ kind: "fault", fault: "cancelled" });
      await send();
      expect(server.requests.map(({ body }) => body)).toEqual(["{}"]);
    },
  );
});

test("a header that HTTP cannot carry is a fault, which does not repeat it", async () => {
  await against(
    ({ socket }) => socket.write(answerText("201 Created")),
    async (server, _send, transport) => {
      const outcome = await transport.send(
        { method: "POST", url: `http://127.0.0.1:${server.port}/`, headers: { "x-secret": `${TOKEN_CANARY}\n` } },
        { signal: idle(), timeoutMs: 10_000, wantsBody: () => true },
      );
      expect(outcome).toEqual({ kind: "fault", fault: "connection", code: "ERR_INVALID_CHAR" });
      expect(server.connections).toBe(0);
    },
  );
});

test("closing ends a connection that is idle, one that is waited for, and one that is being made", async () => {
  // Takes connections and never speaks: a TLS handshake with it does not end.
  const silent = createServer();
  const held: Socket[] = [];
  silent.on("connection", (socket) => held.push(socket.on("error", () => {}).resume()));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  await against(
    ({ socket, number }) => number === 1 && socket.write(answerText("201 Created")),
    async (server, send, transport) => {
      await send();
      await turn();
      const waiting = [
        send(),
        send(),
        transport.send(
          { method: "GET", url: `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`, headers: {} },
          { signal: idle(), timeoutMs: 10_000, wantsBody: () => true },
        ),
      ];
      await until(() => server.requests.length === 3 && held.length === 1);
      await transport.close();
      for (const outcome of await Promise.all(waiting)) expect(outcome.kind).toBe("fault");
      await until(() => server.open === 0 && held[0]?.destroyed !== false);
    },
  ).finally(() => silent.close());
});

test("of many services the one that was not asked for longest loses its idle connection, and nothing that is under way", async () => {
  const MANY = 64;
  const respond: Parameters<typeof RawServer.start>[0] = ({ socket, head }) => {
    if (!head.includes("/never")) socket.write(answerText("201 Created"));
  };
  const others = await Promise.all(Array.from({ length: MANY }, () => RawServer.start(respond)));
  try {
    await against(respond, async (server, send) => {
      await send();
      const waiting = send("/never");
      await until(() => server.requests.length === 2);
      await send();
      await until(() => server.open === 2);
      for (const other of others) await send("/", other.port);
      await until(() => server.open === 1);
      const [first] = server.requests;
      server.requests[1]?.socket.write(answerText("204 No Content"));
      expect(await waiting).toMatchObject({ kind: "answer", status: 204 });
      expect(first).toBeDefined();
      // Nor is that one kept.
      await until(() => server.open === 0);
    });
  } finally {
    for (const other of others) await other.close();
  }
});
