import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { type Limits, limitsOf } from "../../../lib/identity";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { answerText, RawServer } from "../support/raw-server";
import { idle, TOKEN_CANARY, until } from "../support/wanted";

const turn = () => new Promise((resolve) => setImmediate(resolve));
async function against(
  respond: Parameters<typeof RawServer.start>[0],
  use: (
    server: RawServer,
    send: (path?: string, port?: number) => Promise<Outcome>,
    transport: HttpTransport,
  ) => Promise<void>,
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

test("sends the given request, with the length of its body, and names the host as the address does", async () => {
  await against(
    ({ socket }) => socket.write(answerText("201 Created")),
    async (server, send) => {
      await send("/identity/v3/auth/tokens");
      const [request] = server.requests;
      expect(request?.head.split("\r\n")[0]).toBe("POST /identity/v3/auth/tokens HTTP/1.1");
      expect(request?.head.toLowerCase().split("\r\n").slice(1).sort()).toEqual(
        [`host: 127.0.0.1:${server.port}`, "content-length: 2", "connection: close"].sort(),
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
        {
          method: "POST",
          url: `http://127.0.0.1:${server.port}/`,
          headers: { "x-secret": `${TOKEN_CANARY}\n` },
        },
        { signal: idle(), timeoutMs: 10_000, wantsBody: () => true },
      );
      expect(outcome).toEqual({ kind: "fault", fault: "connection", code: "UND_ERR_INVALID_ARG" });
      await until(() => server.open === 0);
      expect(server.requests).toEqual([]);
    },
  );
});

/** Takes connections and never speaks: a TLS handshake with it does not end. */
async function silent(use: (url: string, held: readonly Socket[]) => Promise<void>) {
  const server = createServer();
  const held: Socket[] = [];
  server.on("connection", (socket) => held.push(socket.on("error", () => {}).resume()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await use(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`, held).finally(() =>
    server.close(),
  );
}

test("a request that is given up while it connects ends the connection", async () => {
  await silent(async (url, held) => {
    const transport = new HttpTransport({ limits: limitsOf(), env: {}, now: Date.now });
    const giveUp = new AbortController();
    const sent = transport.send(
      { method: "GET", url, headers: {} },
      { signal: giveUp.signal, timeoutMs: 10_000, wantsBody: () => true },
    );
    await until(() => held.length === 1);
    giveUp.abort();
    expect(await sent).toEqual({ kind: "fault", fault: "cancelled" });
    await until(() => held[0]?.destroyed === true);
  });
});

test("a resolver that throws is a fault, and leaves no timer behind", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const lookup = () => {
    throw new Error("no resolver");
  };
  const transport = new HttpTransport({ limits: limitsOf(), env: {}, now: Date.now, lookup });
  const before = timers();
  const outcome = await transport.send(
    { method: "GET", url: "https://keystone.example.test/", headers: {} },
    { signal: idle(), timeoutMs: 10_000, wantsBody: () => true },
  );
  expect(outcome).toEqual({ kind: "fault", fault: "connection" });
  expect(timers()).toBe(before);
});

test("a request that is given up leaves no other connection in the place of its own", async () => {
  await against(
    () => {},
    async (server, _send, transport) => {
      const giveUp = new AbortController();
      const sending = transport.send(
        { method: "GET", url: `http://127.0.0.1:${server.port}/`, headers: {} },
        { signal: giveUp.signal, timeoutMs: 10_000, wantsBody: () => true },
      );
      await until(() => server.requests.length === 1);
      giveUp.abort();
      await sending;
      await until(() => server.open === 0);
      for (let count = 0; count < 10; count++) await turn();
      expect(server.connections).toBe(1);
    },
  );
});

test("a service that speaks before it is asked gets one connection a request", async () => {
  const server = createServer((socket) =>
    socket.on("error", () => {}).write("SSH-2.0-OpenSSH_9.2\r\n"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let connections = 0;
  const heard = async () => {
    connections++;
    const socket = createConnection(port, "127.0.0.1");
    await once(socket, "readable");
    return socket;
  };
  const options = { limits: limitsOf(), env: {}, now: Date.now, connect: heard };
  const transport = new HttpTransport(options);
  const outcome = await transport.send(
    { method: "GET", url: `http://127.0.0.1:${port}/`, headers: {} },
    { signal: idle(), timeoutMs: 10_000, wantsBody: () => true },
  );
  expect(outcome).toEqual({ kind: "fault", fault: "connection" });
  expect(connections).toBe(1);
  await transport.close();
  server.close();
});

test("undici's global dispatcher, which others may have replaced, gets no request", async () => {
  const before = getGlobalDispatcher();
  setGlobalDispatcher(new MockAgent());
  await against(
    ({ socket }) => socket.write(answerText("201 Created")),
    async (_server, send) => expect(await send()).toMatchObject({ kind: "answer", status: 201 }),
  ).finally(() => setGlobalDispatcher(before));
});

test("bypasses a replacement of http.request, such as one for a proxy", async () => {
  const theirs = jest.spyOn(http, "request").mockImplementation(() => {
    throw new Error("not to be used");
  });
  await against(
    ({ socket }) => socket.write(answerText("201 Created")),
    async (_server, send) => expect(await send()).toMatchObject({ kind: "answer", status: 201 }),
  ).finally(() => theirs.mockRestore());
});

test("closing ends a connection whose answer is awaited, and one that is being made", async () => {
  await silent(async (url, held) => {
    await against(
      ({ socket, number }) => number === 1 && socket.write(answerText("201 Created")),
      async (server, send, transport) => {
        await send();
        await turn();
        const options = { signal: idle(), timeoutMs: 10_000, wantsBody: () => true };
        const waiting = [
          send(),
          send(),
          transport.send({ method: "GET", url, headers: {} }, options),
        ];
        await until(() => server.requests.length === 3 && held.length === 1);
        await transport.close();
        for (const outcome of await Promise.all(waiting)) expect(outcome.kind).toBe("fault");
        await until(() => server.open === 0 && held[0]?.destroyed !== false);
      },
    );
  });
});

const MANY = 64;
const respond: Parameters<typeof RawServer.start>[0] = ({ socket, head }) => {
  if (!head.includes("/never")) socket.write(answerText("201 Created"));
};

test("closing ends a running request to a service, however many others followed", async () => {
  const others = await Promise.all(Array.from({ length: MANY }, () => RawServer.start(respond)));
  try {
    await against(respond, async (server, send, transport) => {
      const waiting = send("/never");
      await until(() => server.requests.length === 1);
      for (const other of others) await send("/", other.port);
      await transport.close();
      expect(await waiting).toMatchObject({ kind: "fault" });
      await until(() => server.open === 0);
    });
  } finally {
    for (const other of others) await other.close();
  }
});
