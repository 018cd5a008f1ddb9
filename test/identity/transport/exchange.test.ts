import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { limitsOf } from "../../../lib/identity";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import type { Outcome, WireRequest } from "../../../lib/identity/transport/transport";
import { answerText, type RawRequest, RawServer } from "../support/raw-server";
import { idle, TOKEN_CANARY, until } from "../support/wanted";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const transportOf = (over: Partial<ConstructorParameters<typeof HttpTransport>[0]> = {}) =>
  new HttpTransport({ limits: limitsOf(), env: {}, now: Date.now, ...over });

/** Sends a small request; `over` has what a test is about. */
const sendBy = (
  transport: HttpTransport,
  url: string,
  over: Partial<WireRequest> = {},
  signal = idle(),
) =>
  transport.send(
    { method: "POST", url, headers: {}, body: "{}", ...over },
    { signal, timeoutMs: 10_000, wantsBody: () => true },
  );

const ok = ({ socket }: RawRequest) => socket.write(answerText("201 Created"));

async function against(
  respond: (request: RawRequest) => void,
  use: (
    server: RawServer,
    send: (over?: Partial<WireRequest>, signal?: AbortSignal) => Promise<Outcome>,
    transport: HttpTransport,
  ) => Promise<void>,
) {
  const server = await RawServer.start(respond);
  const transport = transportOf();
  const url = `http://127.0.0.1:${server.port}/`;
  try {
    await use(server, (over, signal) => sendBy(transport, url, over, signal), transport);
  } finally {
    await transport.close();
    await server.close();
  }
}

test("sends the given request, with the length of its body, and names the host as the address does", async () => {
  await against(ok, async (server, send) => {
    await send({ url: `http://127.0.0.1:${server.port}/identity/v3/auth/tokens` });
    const [request] = server.requests;
    expect(request?.head.split("\r\n")[0]).toBe("POST /identity/v3/auth/tokens HTTP/1.1");
    expect(request?.head.toLowerCase().split("\r\n").slice(1).sort()).toEqual(
      [`host: 127.0.0.1:${server.port}`, "content-length: 2", "connection: close"].sort(),
    );
    expect(request?.body).toBe("{}");
  });
});

test("a request that was given up before it was sent is not sent", async () => {
  await against(ok, async (server, send) => {
    const outcome = await send({ body: "given up" }, AbortSignal.abort());
    expect(outcome).toEqual({ kind: "fault", fault: "cancelled" });
    await send();
    expect(server.requests.map(({ body }) => body)).toEqual(["{}"]);
  });
});

test("a header that HTTP cannot carry is a fault, which does not repeat it", async () => {
  await against(ok, async (server, send) => {
    const outcome = await send({ headers: { "x-secret": `${TOKEN_CANARY}\n` } });
    expect(outcome).toEqual({ kind: "fault", fault: "connection", code: "UND_ERR_INVALID_ARG" });
    await until(() => server.open === 0);
    expect(server.requests).toEqual([]);
  });
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

test("a resolver that throws is a fault, and leaves no timer behind", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const lookup = () => {
    throw new Error("no resolver");
  };
  const before = timers();
  const outcome = await sendBy(transportOf({ lookup }), "https://keystone.example.test/");
  expect(outcome).toEqual({ kind: "fault", fault: "connection" });
  expect(timers()).toBe(before);
});

test("a request that is given up leaves no other connection in the place of its own", async () => {
  await against(
    () => {},
    async (server, send) => {
      const giveUp = new AbortController();
      const sending = send({}, giveUp.signal);
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
  const transport = transportOf({ connect: heard });
  const outcome = await sendBy(transport, `http://127.0.0.1:${port}/`);
  expect(outcome).toEqual({ kind: "fault", fault: "connection" });
  expect(connections).toBe(1);
  await transport.close();
  server.close();
});

test("neither undici's global dispatcher nor http.request, which others may have replaced, gets a request", async () => {
  const before = getGlobalDispatcher();
  setGlobalDispatcher(new MockAgent());
  const theirs = jest.spyOn(http, "request").mockImplementation(() => {
    throw new Error("not to be used");
  });
  await against(ok, async (_server, send) =>
    expect(await send()).toMatchObject({ kind: "answer", status: 201 }),
  ).finally(() => {
    setGlobalDispatcher(before);
    theirs.mockRestore();
  });
});

test("closing ends a connection whose answer is awaited, and one that is being made", async () => {
  await silent(async (url, held) => {
    await against(
      (request) => request.number === 1 && ok(request),
      async (server, send, transport) => {
        await send();
        await turn();
        const waiting = [send(), send(), sendBy(transport, url)];
        await until(() => server.requests.length === 3 && held.length === 1);
        await transport.close();
        // Not by its time, which is ten seconds.
        for (const outcome of await Promise.all(waiting))
          expect(outcome).toEqual({ kind: "fault", fault: "cancelled" });
        await until(() => server.open === 0 && held[0]?.destroyed !== false);
      },
    );
  });
});
