import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { type AttachedServer, serveAttached } from "../../../lib/plugin/serve/serve-attached";
import { echoProvider } from "../fixtures/echo-provider";

let server: AttachedServer;
beforeEach(async () => {
  server = await serveAttached(echoProvider);
});
afterEach(async () => {
  await server.close();
  expect(existsSync(server.socket)).toBe(false);
});

test("its socket lies in a folder that only its owner can enter", () => {
  expect(statSync(path.dirname(server.socket)).mode & 0o777).toBe(0o700);
  expect(server.reattach).toEqual({
    Protocol: "grpc",
    ProtocolVersion: 6,
    Pid: process.pid,
    Test: true,
    Addr: { Network: "unix", String: server.socket },
  });
});

test("closing it twice is closing it", async () => {
  await Promise.all([server.close(), server.close()]);
  await server.close();
});
