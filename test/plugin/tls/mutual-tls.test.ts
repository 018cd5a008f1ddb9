/** Who is let in when a client's certificate was handed over. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { PluginServer } from "../../../lib/plugin/server/plugin-server";
import { serveProvider } from "../../../lib/plugin/server/serve-provider";
import { onlyClient } from "../../../lib/plugin/tls/mutual-tls";
import { createServerIdentity, type ServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { echoProvider } from "../fixtures/echo-provider";
import { GrpcClient, PROVIDER } from "../fixtures/grpc-client";

const server = createServerIdentity();
const terraform = createServerIdentity();
const folder = mkdtempSync(path.join(os.tmpdir(), "tls-"));
const socket = path.join(folder, "s");
const faults: string[] = [];
let connected = 0;
const served = new PluginServer({
  load: () => serveProvider(echoProvider),
  log: (_, message, fields) => faults.push(`${message} ${fields?.event}`),
  tls: {
    key: server.keyPem,
    cert: server.certificatePem,
    isClient: onlyClient(terraform.certificatePem),
  },
  onConnected: () => {
    connected += 1;
  },
});

beforeAll(() => once(served.http2.listen(socket), "listening"));
beforeEach(() => {
  connected = 0;
  faults.length = 0;
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

async function status(
  identity: Partial<ServerIdentity>,
  ca = server.certificatePem,
): Promise<number | undefined> {
  const { keyPem: key, certificatePem: cert } = identity;
  const client = GrpcClient.connect(socket, {
    ca: [ca],
    ...(key === undefined || cert === undefined ? {} : { key, cert }),
  });
  const answer = await client.unary(`${PROVIDER}GetFunctions`, new Uint8Array(0));
  await client.end();
  return answer.status;
}

test("serves the client whose certificate was given", async () => {
  expect(await status(terraform)).toBe(0);
  expect(connected).toBe(1);
});

test.each<[string, Partial<ServerIdentity>]>([
  ["no certificate", {}],
  ["a certificate of another, of the same name", createServerIdentity()],
  ["the server's own certificate", server],
])("a client with %s is refused, and does not count as a connection", async (_, identity) => {
  expect(await status(identity)).toBeUndefined();
  expect(connected).toBe(0);
  expect(faults).toContain("a connection failed stranger refused");
});

test("a client that does not know the server's certificate hangs up", async () => {
  expect(await status(terraform, terraform.certificatePem)).toBeUndefined();
});
