import { once } from "node:events";
import http from "node:http";
import { createConnection } from "node:net";
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { limitsOf } from "../../../lib/identity/limits";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import type { WireRequest } from "../../../lib/identity/transport/transport";
import { type Respond, serverWith } from "../support/against";
import { idle, TOKEN_CANARY, until } from "../support/wanted";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const transportWith = (over: Partial<ConstructorParameters<typeof HttpTransport>[0]> = {}) =>
  new HttpTransport({ limits: limitsOf(), env: {}, now: Date.now, ...over });

/** Sends a small request; `over` has what a test is about. */
const sendTo = (
  url: string,
  over: Partial<WireRequest> = {},
  signal = idle(),
  transport = transportWith(),
) =>
  transport.send(
    { method: "POST", url, headers: {}, body: "{}", bodyOf: [201], ...over },
    { signal, timeoutMs: 10_000 },
  );

async function world(respond?: Respond) {
  const server = await serverWith(respond);
  const url = `${server.url}/`;
  return {
    server,
    send: (over?: Partial<WireRequest>, signal?: AbortSignal) => sendTo(url, over, signal),
  };
}

test("sends the given request, with the length of its body, and names the host as the address does", async () => {
  const { server, send } = await world();
  await send({ url: `${server.url}/identity/v3/auth/tokens` });
  const [request] = server.requests;
  const [first, ...headers] = request?.head.toLowerCase().split("\r\n") ?? [];
  expect(first).toBe("post /identity/v3/auth/tokens http/1.1");
  expect(headers.sort()).toEqual(
    [
      `host: 127.0.0.1:${server.port}`,
      "content-length: 2",
      "connection: close",
      "user-agent: cdktf-iam-tokens/0",
    ].sort(),
  );
  expect(request?.body).toBe("{}");
});

test("a connection ends with its request", async () => {
  const { server, send } = await world("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  for (const _again of [1, 2]) {
    await send();
    await until(() => server.open === 0);
  }
  expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
});

test("a request that was given up before it was sent is not sent", async () => {
  const { server, send } = await world();
  const outcome = await send({ body: "given up" }, AbortSignal.abort());
  expect(outcome).toEqual({ kind: "fault", fault: "cancelled" });
  await send();
  expect(server.requests.map(({ body }) => body)).toEqual(["{}"]);
});

test("a header that HTTP cannot carry is a fault, which does not repeat it", async () => {
  const { server, send } = await world();
  const outcome = await send({ headers: { "x-secret": `${TOKEN_CANARY}\n` } });
  expect(outcome).toEqual({ kind: "fault", fault: "connection", code: "UND_ERR_INVALID_ARG" });
  await until(() => server.open === 0);
  expect(server.requests).toEqual([]);
});

test("a resolver that throws is a fault, and leaves no timer behind", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const lookup = () => {
    throw new Error("no resolver");
  };
  const before = timers();
  const url = "https://keystone.example.test/";
  expect(await sendTo(url, {}, idle(), transportWith({ lookup }))).toEqual({
    kind: "fault",
    fault: "connection",
  });
  expect(timers()).toBe(before);
});

test("a request that is given up leaves no other connection in the place of its own", async () => {
  const { server, send } = await world(() => {});
  const giveUp = new AbortController();
  const sending = send({}, giveUp.signal);
  await until(() => server.requests.length === 1);
  giveUp.abort();
  await sending;
  await until(() => server.open === 0);
  for (let count = 0; count < 10; count++) await turn();
  expect(server.connections).toBe(1);
});

test("a service that speaks before it is asked gets one connection a request", async () => {
  const server = await serverWith("", undefined, (socket) =>
    socket.write("SSH-2.0-OpenSSH_9.2\r\n"),
  );
  const connect = async () => {
    const socket = createConnection(server.port, "127.0.0.1");
    await once(socket, "readable");
    return socket;
  };
  const outcome = await sendTo(server.url, {}, idle(), transportWith({ connect }));
  expect(outcome).toEqual({ kind: "fault", fault: "connection" });
  expect(server.connections).toBe(1);
});

test("neither undici's global dispatcher nor http.request, which others may have replaced, gets a request", async () => {
  const before = getGlobalDispatcher();
  setGlobalDispatcher(new MockAgent());
  const theirs = jest.spyOn(http, "request").mockImplementation(() => {
    throw new Error("not to be used");
  });
  try {
    const { send } = await world();
    expect(await send()).toMatchObject({ kind: "answer", status: 201 });
  } finally {
    setGlobalDispatcher(before);
    theirs.mockRestore();
  }
});

test("an abort ends a connection whose answer is awaited, and one that is being made", async () => {
  const silent = await serverWith();
  const { server, send } = await world(() => {});
  const giveUp = new AbortController();
  const handshake = sendTo(`https://127.0.0.1:${silent.port}/`, {}, giveUp.signal);
  const waiting = [send({}, giveUp.signal), handshake];
  await until(() => server.requests.length === 1 && silent.open === 1);
  giveUp.abort();
  // Not by its time, which is ten seconds.
  for (const outcome of await Promise.all(waiting))
    expect(outcome).toEqual({ kind: "fault", fault: "cancelled" });
  await until(() => server.open + silent.open === 0);
});

test("a try that ends before it has a connection, because it has less time, says so", async () => {
  const { port } = await serverWith();
  const request = { method: "GET", url: `https://127.0.0.1:${port}/`, headers: {} } as const;
  const outcome = await transportWith().send(request, { signal: idle(), timeoutMs: 100 });
  expect(outcome).toMatchObject({ kind: "fault", fault: "connect_timeout" });
});
