/** The server seen from the wire: faults of a peer, sessions, cancellation. */
import { EventEmitter, once } from "node:events";
import { existsSync, statSync } from "node:fs";
import type { ClientHttp2Stream } from "node:http2";
import { createConnection } from "node:net";
import path from "node:path";
import { decodeMsgpack, encodeMsgpack } from "../../../lib/plugin/cty/block-value";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { frame } from "../../../lib/plugin/grpc/framing";
import { listenInFolder } from "../../../lib/plugin/launch/socket-folder";
import {
  ConfigRequest,
  ConfigureProviderRequest,
  ReadDataSourceResponse,
} from "../../../lib/plugin/protocol/tfplugin6";
import { serveAttached } from "../../../lib/plugin/serve/serve-attached";
import { PluginServer } from "../../../lib/plugin/server/plugin-server";
import { serveProvider } from "../../../lib/plugin/server/serve-provider";
import { ATTRIBUTES, createEchoProvider } from "../fixtures/echo-provider";
import { answerOf, GrpcClient, PROVIDER, STDIO } from "../fixtures/grpc-client";

const NOTHING = new Uint8Array(0);
const EMPTY = frame(NOTHING);
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start() {
  const events: string[] = [];
  const teller = new EventEmitter();
  const provider = createEchoProvider((event) => {
    events.push(event);
    teller.emit(event);
  });
  /** Resolves when it has. */
  const happened = async (event: string) => events.includes(event) || once(teller, event);
  const server = await serveAttached(provider);
  ends.push(() => server.end());
  const connect = () => {
    const client = new GrpcClient(server.reattach.Addr.String);
    ends.push(() => client.end());
    return client;
  };
  const configured = (prefix: string) => configure(connect(), prefix);
  return { server, connect, configured, events, happened };
}

async function configure(client: GrpcClient, prefix: string): Promise<GrpcClient> {
  const { attributes } = createEchoProvider().schema;
  const config = { msgpack: encodeMsgpack({ prefix }, attributes) };
  await client.unary(`${PROVIDER}ConfigureProvider`, ConfigureProviderRequest.encode({ config }));
  return client;
}

const READ = `${PROVIDER}ReadDataSource`;
const request = (config: CtyObject) =>
  ConfigRequest.encode({
    typeName: "echo_read",
    config: { msgpack: encodeMsgpack(config, ATTRIBUTES) },
  });
async function read(client: GrpcClient, config: CtyObject) {
  const { message } = await client.unary(READ, request(config));
  const { state, diagnostics } = ReadDataSourceResponse.decode(message);
  return { diagnostics, result: state && decodeMsgpack(state.msgpack, ATTRIBUTES)?.result };
}

const LONG = { text: "x", delay_ms: 600_000 };

/** The server still answers. */
const expectAlive = async (client: GrpcClient) => expect(await client.ping()).toBe(0);

test("an attached server's socket lies in a folder that only its owner can enter, until it is closed, once or twice", async () => {
  const { server, connect } = await start();
  const client = connect();
  await expectAlive(client);
  expect(statSync(path.dirname(server.reattach.Addr.String)).mode & 0o777).toBe(0o700);
  expect(server.reattach).toEqual({
    Protocol: "grpc",
    ProtocolVersion: 6,
    Pid: process.pid,
    Test: true,
    Addr: { Network: "unix", String: server.reattach.Addr.String },
  });
  await Promise.all([server.end(), server.end()]);
  await server.end();
  expect(existsSync(server.reattach.Addr.String)).toBe(false);
  expect(await client.ping()).toBeUndefined();
});

test("a drained server serves nobody new, and ends with its last connection", async () => {
  const { server, connect } = await start();
  const client = connect();
  await expectAlive(client);
  const drained = server.drain();
  await expectAlive(client);
  expect(await connect().ping()).toBeUndefined();
  await client.end();
  await drained;
});

test("an interruption may count for later connections as well: nothing begins", async () => {
  const server = new PluginServer({
    load: () => serveProvider(createEchoProvider()),
    log: () => {},
  });
  const { env, platform } = process;
  const options = { env, platform, mutualTls: false };
  const { socket, remove } = await listenInFolder(server.http2, options);
  server.interrupt({ later: true });
  const client = new GrpcClient(socket);
  ends.push(
    () => server.end().finally(remove),
    () => client.end(),
  );
  await configure(client, "");
  expect((await read(client, { text: "x" })).diagnostics).toMatchObject([{ summary: "Cancelled" }]);
});

const BROKEN = frame(Buffer.from([0xff, 0xff]));
test.each<
  [what: string, method: string, answers: object, body: Uint8Array, headers: Record<string, string>]
>([
  [
    "one that is not implemented",
    "MoveResourceState",
    { httpStatus: 200, status: 12, reason: "MoveResourceState is not implemented." },
    EMPTY,
    {},
  ],
  ["a name of each object", "constructor", { httpStatus: 200, status: 12 }, EMPTY, {}],
  ["one that has nothing to say", "GetFunctions", { httpStatus: 200, status: 0 }, EMPTY, {}],
  ["another one", "GetResourceIdentitySchemas", { httpStatus: 200, status: 0 }, EMPTY, {}],
  [
    "a message that is none",
    "ReadDataSource",
    { status: 13, reason: "The call failed unexpectedly." },
    BROKEN,
    {},
  ],
  [
    "what is not gRPC",
    "ReadDataSource",
    { httpStatus: 415 },
    NOTHING,
    { "content-type": "text/plain" },
  ],
])("%s is answered (%s), and the server goes on", async (_what, method, answer, body, headers) => {
  const client = (await start()).connect();
  expect(await client.raw(PROVIDER + method, body, headers)).toMatchObject(answer);
  await expectAlive(client);
});

test.each<[what: string, end: (stream: ClientHttp2Stream, client: GrpcClient) => void]>([
  // As gRPC does, with code 8; one of a fault makes the stream emit an error.
  ["that its peer cancels", (stream) => stream.close(8)],
  ["that its peer ends by a fault", (stream) => stream.close(2)],
  ["whose connection breaks", (_, client) => client.breakOff()],
])("a call %s ends its operation, and the server goes on", async (_, end) => {
  const { configured, connect, happened } = await start();
  const client = await configured("a");
  const stream = client.open(READ);
  const answer = answerOf(stream);
  stream.end(frame(request(LONG)));
  await happened("read x");
  end(stream, client);
  await happened("read x aborted");
  await answer;
  await client.end();
  await happened("release a");
  await expectAlive(connect());
});

test.each([
  ["noise", Buffer.from("ff00ff00ff00", "hex")],
  ["a preface and then noise", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${"\u0001".repeat(64)}`],
])("a peer that sends %s leaves the server as it was", async (_, sent) => {
  const { server, connect } = await start();
  const peer = createConnection(server.reattach.Addr.String).on("error", () => undefined);
  peer.resume().end(sent);
  await once(peer, "close");
  await expectAlive(connect());
});

test("two connections have a configuration each, and StopProvider ends the waits of its own", async () => {
  const { configured, happened, events } = await start();
  const [one, two] = await Promise.all([configured("one "), configured("two ")]);
  const stopped = read(one, LONG);
  const other = read(two, { ...LONG, text: "y" }).catch(() => undefined);
  await Promise.all([happened("read x"), happened("read y")]);
  await one.unary(`${PROVIDER}StopProvider`);
  expect((await stopped).diagnostics).toMatchObject([{ severity: 1, summary: "Cancelled" }]);
  expect(events).toContain("release one ");
  expect(events).not.toContain("read y aborted");
  expect((await read(one, { text: "again" })).result).toBe("one again");
  expect((await read(two, { text: "x" })).result).toBe("two x");
  await two.end();
  await other;
});

test("Shutdown releases the session's resources, is answered, and ends no other session", async () => {
  const { configured, connect, events } = await start();
  const [one, two] = await Promise.all([configured("one"), configured("two")]);
  expect(await one.shutdown()).toBe(0);
  expect(events.filter((event) => event.startsWith("release"))).toEqual(["release one"]);
  expect((await read(two, { text: "x" })).diagnostics).toEqual([]);
  await expectAlive(connect());
});

test("a call of another go-plugin service stays open, which keeps the connection from being idle, and ends well", async () => {
  const client = (await start()).connect();
  const stream = client.open(STDIO);
  stream.end(EMPTY);
  const answer = answerOf(stream);
  await once(stream, "response");
  await expectAlive(client);
  expect(stream.closed).toBe(false);
  await client.shutdown();
  expect(await answer).toMatchObject({ status: 0 });
});
