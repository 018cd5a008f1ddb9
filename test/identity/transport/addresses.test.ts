import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type LookupFunction, type Socket } from "node:net";
import { connected } from "../../../lib/identity/transport/connector";
import { testIf } from "../../support/skips";
import { serverWith } from "../support/against";
import { idle } from "../support/wanted";

const resolvedTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

test.each(["127.0.0.1", "::1"])(
  "localhost is this machine, by %s, whatever a resolver says",
  async (address) => {
    const server = createServer().listen(0, address);
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const to = { host: "localhost", port };
    const socket = await connected(to, resolvedTo("192.0.2.1"), idle());
    expect(socket.remoteAddress).toBe(address);
    socket.destroy();
    server.close();
  },
);

test("of several addresses, one that refuses costs no time", async () => {
  const { port } = await serverWith();
  const socket = await connected(
    { host: "k.example", port },
    resolvedTo("::1", "127.0.0.1"),
    idle(),
  );
  expect(socket.remoteAddress).toBe("127.0.0.1");
  socket.destroy();
});

/** A port of 127.0.0.2 that no longer answers: its process is stopped, and its queue is full. */
const STOPPED = `
  const server = require("node:net").createServer();
  server.listen({ port: Number(process.argv[1]), host: "127.0.0.2", backlog: 1 }, () => {
    console.log("listens");
    process.kill(process.pid, "SIGSTOP");
  });`;

testIf(process.platform === "linux", "it needs Linux's queue of connections")(
  "an address that is silent leaves the others their share of the time",
  async () => {
    const { port } = await serverWith();
    const dead = spawn(process.execPath, ["-e", STOPPED, String(port)]);
    const fill: Socket[] = [];
    try {
      await once(dead.stdout, "data");
      for (let count = 0; count < 4; count++)
        fill.push(connect(port, "127.0.0.2").on("error", () => {}));
      await once(fill[0] as Socket, "connect");
      const started = performance.now();
      const lookup = resolvedTo("127.0.0.2", "127.0.0.1");
      const socket = await connected({ host: "k.example", port }, lookup, idle());
      expect(socket.remoteAddress).toBe("127.0.0.1");
      expect(performance.now() - started).toBeGreaterThan(900);
      socket.destroy();
    } finally {
      for (const each of fill) each.destroy();
      dead.kill("SIGKILL");
    }
  },
);
