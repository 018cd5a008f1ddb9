/** The server seen from the wire: faults of a peer, sessions, cancellation. */
import { createConnection } from "node:net";

import {
  CloseEphemeralResourceRequest,
  ConfigRequest,
  ConfigureProviderRequest,
  DiagnosticsResponse,
  Empty,
  GetProviderSchemaResponse,
  OpenEphemeralResourceResponse,
  ReadDataSourceResponse,
} from "../../../lib/plugin/protocol/tfplugin6";
import { serveAttached } from "../../../lib/plugin/serve/serve-attached";
import {
  answerOf,
  configOf,
  framed,
  GrpcClient,
  PROVIDER,
  resultOf,
  SHUTDOWN,
  STDIO,
} from "../fixtures/grpc-client";
import {
  FRAME,
  rawCall,
  rawConnection,
  rawFrame,
  rawReset,
  sendBytes,
} from "../fixtures/raw-frames";
import { waitingProvider } from "../fixtures/waiting-provider";

/** All but those by which the server looks at its connections. */
const REAL_TIMERS = [
  "setTimeout",
  "clearTimeout",
  "setImmediate",
  "clearImmediate",
  "nextTick",
  "queueMicrotask",
  "performance",
  "hrtime",
  "Date",
] as const;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(options: { releaseTimeoutMs?: number } = {}) {
  const waiting = waitingProvider();
  const logged: string[] = [];
  const server = await serveAttached(waiting.provider, {
    ...options,
    log: (level, message, fields) => logged.push(JSON.stringify({ level, message, ...fields })),
  });
  ends.push(() => server.close());
  const connect = () => {
    const client = GrpcClient.connect(server.socket);
    ends.push(() => client.end());
    return client;
  };
  const { schema } = waiting.provider;
  const configured = async (name: string) => {
    const client = connect();
    const { diagnostics } = await client.call(
      "ConfigureProvider",
      ConfigureProviderRequest,
      { config: configOf(schema, { name }) },
      DiagnosticsResponse,
    );
    expect(diagnostics).toEqual([]);
    return client;
  };
  const read = (client: GrpcClient, config: { name?: string; mode?: string }) =>
    client.call(
      "ReadDataSource",
      ConfigRequest,
      { typeName: "waiting_read", config: configOf(schema, config) },
      ReadDataSourceResponse,
    );
  return { ...waiting, server, connect, configured, read, schema, logged };
}

/** The server still answers. */
async function expectAlive(client: GrpcClient): Promise<void> {
  const { dataSourceSchemas } = await client.call(
    "GetProviderSchema",
    Empty,
    {},
    GetProviderSchemaResponse,
  );
  expect(dataSourceSchemas.map(({ key }) => key)).toEqual(["waiting_read"]);
}

describe("a call", () => {
  test.each([
    ["/tfplugin6.Provider/MoveResourceState", 12],
    ["/tfplugin6.Provider/constructor", 12],
    ["/tfplugin5.Provider/GetSchema", 12],
    ["/plugin.GRPCBroker/StartStream", 12],
    ["/tfplugin6.Provider/GetFunctions", 0],
    ["/tfplugin6.Provider/GetResourceIdentitySchemas", 0],
    ["/tfplugin6.Provider/GetMetadata", 12],
  ])("of %s ends with status %d", async (path, status) => {
    const client = (await start()).connect();
    expect(await client.unary(path, new Uint8Array(0))).toMatchObject({ httpStatus: 200, status });
    await expectAlive(client);
  });

  test.each([
    ["is compressed", framed(Buffer.from("x"), { compressed: 1 }), 12],
    ["is announced as larger than 64 MiB", framed(Buffer.from("x"), { length: 0xffff_ffff }), 8],
    ["is cut off", framed(Buffer.from("x"), { length: 2 }), 13],
    ["has no prefix", Buffer.from("x"), 13],
    ["is empty", new Uint8Array(0), 13],
    ["comes twice", Buffer.concat([framed(Buffer.from("x")), framed(Buffer.from("x"))]), 13],
    ["is not a message", framed(Buffer.from([0xff, 0xff])), 13],
  ])("whose message %s ends with its status, and the server goes on", async (_, body, status) => {
    const client = (await start()).connect();
    expect((await client.raw(`${PROVIDER}ReadDataSource`, body)).status).toBe(status);
    await expectAlive(client);
  });

  test("that is not gRPC is refused by HTTP", async () => {
    const client = (await start()).connect();
    expect(
      await client.raw(`${PROVIDER}GetProviderSchema`, new Uint8Array(0), {
        "content-type": "text/plain",
      }),
    ).toMatchObject({
      httpStatus: 415,
    });
    await expectAlive(client);
  });

  test("is ended by its deadline, as is the operation that it waited for", async () => {
    const { configured, schema, happened } = await start();
    const client = await configured("a");
    const body = ConfigRequest.encode({
      typeName: "waiting_read",
      config: configOf(schema, { mode: "wait" }),
    });
    expect(
      await client.unary(`${PROVIDER}ReadDataSource`, body, { "grpc-timeout": "30m" }),
    ).toMatchObject({ status: 4 });
    await happened("a is aborted");
    await expectAlive(client);
  });

  // By the codes of HTTP/2: 8 is what gRPC sends, any other makes the stream emit an error.
  test.each([8, 2, 1, 0])(
    "that the peer cancels with code %d ends the operation that it waited for",
    async (code) => {
      const { configured, schema, happened } = await start();
      const client = await configured("a");
      const stream = client.open(`${PROVIDER}ReadDataSource`);
      const answer = answerOf(stream);
      stream.end(
        framed(
          ConfigRequest.encode({
            typeName: "waiting_read",
            config: configOf(schema, { mode: "wait" }),
          }),
        ),
      );
      await happened("a waits");
      stream.close(code);
      await happened("a is aborted");
      await answer;
      await expectAlive(client);
    },
  );

  test.each([`${PROVIDER}GetProviderSchema`, "/plugin.GRPCBroker/StartStream", STDIO, SHUTDOWN])(
    "of %s that is gone before the server learns of it has no effect",
    async (path) => {
      const { server, connect } = await start();
      // In one packet, which gives the server the end of a call before its beginning is processed.
      const calls = [0, 2, 8].flatMap((code, index) => [
        rawCall(2 * index + 1, path),
        rawReset(2 * index + 1, code),
      ]);
      const goAway = rawFrame(FRAME.goAway, 0, 0, new Uint8Array(8));
      await sendBytes(server.socket, rawConnection(...calls, goAway));
      await expectAlive(connect());
    },
  );
});

describe("a peer that is not an HTTP/2 client", () => {
  test.each([
    ["noise", Buffer.from("ff00ff00ff00", "hex")],
    ["HTTP/1.1", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a call on stream 0", rawConnection(rawFrame(FRAME.headers, 4, 0, Buffer.from("x")))],
    [
      "a window beyond its bounds",
      rawConnection(rawFrame(FRAME.windowUpdate, 0, 0, Buffer.from("7fffffff", "hex"))),
    ],
    ["a preface and then noise", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${"\u0001".repeat(64)}`],
  ])("and sends %s leaves the server as it was", async (_, bytes) => {
    const { server, connect } = await start();
    await sendBytes(server.socket, bytes);
    await expectAlive(connect());
  });

  test.each([
    ["a PING of a size that cannot be", rawFrame(FRAME.ping, 0, 0, Buffer.from("x"))],
    [
      "headers that cannot be read",
      rawFrame(FRAME.headers, 4, 1, Buffer.from("ff".repeat(6), "hex")),
    ],
    ["data before any call", rawFrame(FRAME.data, 0, 1, Buffer.from("x"))],
    [
      "a flood of CONTINUATION",
      Buffer.concat([
        rawFrame(FRAME.headers, 0, 1, Uint8Array.of(0x82)),
        ...Array.from({ length: 3000 }, () =>
          rawFrame(FRAME.continuation, 0, 1, Buffer.alloc(100, 0x82)),
        ),
      ]),
    ],
  ])(
    "and sends %s, fifty times, leaves no connection open, and does not disturb others",
    async (_, frame) => {
      jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] });
      try {
        const { server, connect } = await start();
        const client = connect();
        await expectAlive(client);
        for (let count = 0; count < 50; count++)
          await sendBytes(server.socket, rawConnection(frame));
        for (let look = 0; look < 4; look++) {
          await jest.advanceTimersByTimeAsync(5_000);
          await expectAlive(client);
        }
        await client.end();
        await server.drain();
      } finally {
        jest.useRealTimers();
      }
    },
  );

  test("a peer that is stopped for an hour keeps its connection", async () => {
    jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] });
    try {
      const { server } = await start();
      const stopped = createConnection(server.socket)
        .on("error", () => undefined)
        .pause();
      const ended = jest.fn();
      stopped.on("close", ended);
      await new Promise<unknown>((resolve) => stopped.write(rawConnection(), resolve));
      await jest.advanceTimersByTimeAsync(3_600_000);
      stopped.resume();
      await new Promise((resolve) => stopped.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(ended).not.toHaveBeenCalled();
      stopped.destroy();
    } finally {
      jest.useRealTimers();
    }
  });

  test("a connection that breaks in the middle of a call leaves the server as it was", async () => {
    const { configured, connect, happened, read } = await start();
    const client = await configured("a");
    const lost = read(client, { mode: "wait" }).catch(() => "lost");
    await happened("a waits");
    client.breakOff();
    expect(await lost).toBe("lost");
    await happened("a is aborted");
    await happened("a is released");
    await expectAlive(connect());
  });
});

describe("sessions", () => {
  test("two connections have a configuration each", async () => {
    const { configured, read, schema } = await start();
    const [one, two] = await Promise.all([configured("one"), configured("two")]);
    const answers = await Promise.all([read(one, { name: "x" }), read(two, { name: "x" })]);
    expect(answers.map(({ state }) => resultOf(schema, state).name)).toEqual(["one x", "two x"]);
  });

  test("StopProvider ends the waits of its own session only, which then works as before", async () => {
    const { configured, read, happened, events } = await start();
    const [one, two] = await Promise.all([configured("one"), configured("two")]);
    const stopped = read(one, { mode: "wait" });
    const other = read(two, { mode: "wait" }).catch(() => undefined);
    await Promise.all([happened("one waits"), happened("two waits")]);
    await one.call("StopProvider", Empty, {}, Empty);
    expect((await stopped).diagnostics).toMatchObject([{ severity: 1, summary: "Cancelled" }]);
    expect(events).toContain("one is released");
    expect(events).not.toContain("two is aborted");
    expect((await read(one, { name: "again" })).diagnostics).toEqual([]);
    await two.end();
    await other;
  });

  test("an operation that ignores its end does not delay StopProvider", async () => {
    const { configured, read, happened } = await start({ releaseTimeoutMs: 20 });
    const client = await configured("a");
    const stopped = read(client, { mode: "deaf" });
    await happened("a waits");
    await client.call("StopProvider", Empty, {}, Empty);
    expect((await stopped).diagnostics).toMatchObject([{ summary: "Cancelled" }]);
  });

  test.each(["stuck", "broken"])("a release that is %s does not delay the end", async (name) => {
    const { configured, server, events, logged } = await start({ releaseTimeoutMs: 20 });
    await configured(name);
    await server.close();
    expect(events).toEqual([`${name} is released`]);
    expect(logged.join("\n")).not.toContain("canary");
  });

  test("Shutdown releases the session's resources, is answered, and ends no other session", async () => {
    const { configured, connect, events, read } = await start();
    const [one, two] = await Promise.all([configured("one"), configured("two")]);
    expect(await one.unary(SHUTDOWN, new Uint8Array(0))).toMatchObject({ status: 0 });
    expect(events).toEqual(["one is released"]);
    expect((await read(two, { name: "x" })).diagnostics).toEqual([]);
    await expectAlive(connect());
  });

  test("a call of another go-plugin service stays open, which keeps the connection from being idle, and ends well", async () => {
    const client = (await start()).connect();
    const stream = client.open(STDIO);
    stream.end(framed(new Uint8Array(0)));
    const answer = answerOf(stream);
    await new Promise((resolve) => stream.once("response", resolve));
    await expectAlive(client);
    expect(stream.closed).toBe(false);
    await client.unary(SHUTDOWN, new Uint8Array(0));
    expect(await answer).toMatchObject({ status: 0 });
  });
});

describe("an operation", () => {
  test("before the configuration is an error, not a crash", async () => {
    const { connect, read } = await start();
    expect((await read(connect(), {})).diagnostics).toMatchObject([
      { severity: 1, detail: expect.stringMatching("NotConfiguredError") },
    ]);
  });

  test("after a failed configuration is one as well", async () => {
    const { configured, read, schema } = await start();
    const client = await configured("a");
    const { diagnostics } = await client.call(
      "ConfigureProvider",
      ConfigureProviderRequest,
      { config: configOf(schema, { mode: "fail" }) },
      DiagnosticsResponse,
    );
    expect(diagnostics).toMatchObject([
      { severity: 1, summary: "No", attribute: { steps: [{ attributeName: "mode" }] } },
    ]);
    expect((await read(client, {})).diagnostics).toMatchObject([{ severity: 1 }]);
  });

  test("that throws reports only the name of the error", async () => {
    const { configured, read, logged } = await start();
    const { diagnostics } = await read(await configured("a"), { mode: "throw" });
    expect(diagnostics[0]?.detail).toMatch("ended with SyntaxError E_TEST.");
    expect(JSON.stringify([diagnostics, logged])).not.toMatch("canary");
  });

  test("whose result does not fit its schema is an error at the attribute", async () => {
    const { configured, read } = await start();
    expect((await read(await configured("a"), { mode: "misfit" })).diagnostics).toMatchObject([
      {
        severity: 1,
        detail: "Reading data waiting_read: string expected, not a number.",
        attribute: { steps: [{ attributeName: "name" }] },
      },
    ]);
  });

  test("that returns undefined is an error", async () => {
    const { configured, read } = await start();
    expect((await read(await configured("a"), { mode: "nothing" })).diagnostics).toMatchObject([
      { severity: 1 },
    ]);
  });

  test.each([
    ...["nothing", "constructor", "__proto__", ""].map((typeName) => ({
      request: { typeName, config: { msgpack: Uint8Array.of(0x80) } },
      refused: { detail: expect.stringMatching("UnknownTypeError") },
    })),
    ...[undefined, {}, { msgpack: Uint8Array.of(0xc0) }, { msgpack: Uint8Array.of(0xc1) }].map(
      (config) => ({
        request: { typeName: "waiting_read", config },
        refused: { summary: "A value does not fit its type" },
      }),
    ),
  ])("on a type that does not exist, or without a value, is an error: $request", async (row) => {
    const client = await (await start()).configured("a");
    const { diagnostics } = await client.call(
      "ReadDataSource",
      ConfigRequest,
      row.request,
      ReadDataSourceResponse,
    );
    expect(diagnostics).toMatchObject([{ severity: 1, ...row.refused }]);
  });

  test("that opens an ephemeral gives its private data, which close gets", async () => {
    const { configured, schema, events } = await start();
    const client = await configured("a");
    const request = { typeName: "waiting_secret", config: configOf(schema, { name: "x" }) };
    const opened = await client.call(
      "OpenEphemeralResource",
      ConfigRequest,
      request,
      OpenEphemeralResourceResponse,
    );
    const close = { typeName: "waiting_secret", private: opened.private };
    await client.call(
      "CloseEphemeralResource",
      CloseEphemeralResourceRequest,
      close,
      DiagnosticsResponse,
    );
    expect(events).toEqual(["closed with private"]);
  });
});
