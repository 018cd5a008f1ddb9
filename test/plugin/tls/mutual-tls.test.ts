/** Who is let in when a client's certificate was handed over. */
import { createPublicKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { PluginServer } from "../../../lib/plugin/server/plugin-server";
import { serveProvider } from "../../../lib/plugin/server/serve-provider";
import { onlyClient } from "../../../lib/plugin/tls/mutual-tls";
import {
  createServerIdentity,
  type ServerIdentity,
  toPem,
} from "../../../lib/plugin/tls/server-identity";
import { echoProvider } from "../fixtures/echo-provider";
import { GrpcClient } from "../fixtures/grpc-client";

const server = createServerIdentity();
const terraform = createServerIdentity();
const folder = mkdtempSync(path.join(os.tmpdir(), "tls-"));
const socket = path.join(folder, "s");
const faults: string[] = [];
let connected = 0;
const served = new PluginServer({
  load: () => serveProvider(echoProvider),
  log: (_, message, fields) => faults.push(`${message} ${fields?.event}`),
  tls: { ...server, isClient: onlyClient(terraform.certificatePem) },
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
  await served.end();
  rmSync(folder, { recursive: true });
});

type Identity = Partial<ServerIdentity>;

async function status({ keyPem: key, certificatePem: cert }: Identity, ca = server.certificatePem) {
  const client = new GrpcClient(socket, { ca: [ca], key, cert });
  const status = await client.ping();
  await client.end();
  return status;
}

const REFUSED = ["a connection failed stranger refused"];
test.each<[what: string, identity: Identity, served: number | undefined, faults: string[]]>([
  ["the certificate that was given", terraform, 0, []],
  ["no certificate", {}, undefined, REFUSED],
  ["a certificate of another, of the same name", createServerIdentity(), undefined, REFUSED],
  ["the server's own certificate", server, undefined, REFUSED],
])(
  "a client with %s is served, or refused without being a connection",
  async (_, identity, served, expected) => {
    expect(await status(identity)).toBe(served);
    expect(connected).toBe(served === undefined ? 0 : 1);
    expect(faults).toEqual(expect.arrayContaining(expected));
  },
);

test("a client that does not know the server's certificate hangs up", async () => {
  expect(await status(terraform, terraform.certificatePem)).toBeUndefined();
});

test("a server's certificate is its own authority, for this machine's names, in both directions, without an end", () => {
  const { certificateDer, certificatePem, keyPem } = createServerIdentity();
  const certificate = new X509Certificate(certificateDer);
  expect(certificate).toMatchObject({
    ca: true,
    subject: "CN=localhost",
    issuer: "CN=localhost",
    subjectAltName: "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
    validFrom: "Jan  1 00:00:00 1970 GMT",
    validTo: "Dec 31 23:59:59 9999 GMT",
    keyUsage: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
    serialNumber: expect.stringMatching(/^4[0-9A-F]{31}$/),
  });
  expect(certificate.verify(createPublicKey(keyPem))).toBe(true);
  expect(new X509Certificate(certificatePem).raw).toEqual(certificate.raw);
  expect(new X509Certificate(createServerIdentity().certificateDer).serialNumber).not.toBe(
    certificate.serialNumber,
  );
});

test("PEM of any length is without an empty line, which OpenSSL would not read", () => {
  for (let length = 40; length <= 104; length += 1)
    expect(toPem(Buffer.alloc(length))).toMatch(
      /^-----BEGIN CERTIFICATE-----\n([\w+/=]{1,64}\n)+-----END CERTIFICATE-----\n$/,
    );
});
