import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { limitsOf } from "../../../lib/identity/limits";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import { useScratch } from "../../support/scratch";
import { LOOPBACK, serverWith } from "../support/against";
import { NAMES } from "../support/certificates";
import { ConnectProxy } from "../support/connect-proxy";
import { idle } from "../support/wanted";

const { intermediate, key, root, certificates } = NAMES;
const CERTIFICATES = Object.entries(certificates).map(([name, certificate]) => ({
  name,
  server: { cert: certificate + intermediate, key },
  judged: new X509Certificate(certificate).toLegacyObject() as PeerCertificate,
}));
const DOMAINS = ["a.example.test", "a.example.test.", "x.a.example.test"];

const scratch = useScratch("block");
// Of the only transport: it reads the public CAs once.
const env: NodeJS.ProcessEnv = {};
const transport = new HttpTransport({ limits: limitsOf(), env, now: Date.now, lookup: LOOPBACK });
beforeAll(() => {
  env.IAM_TOKENS_EXTRA_CA_CERTS = join(scratch.folder, "root.pem");
  writeFileSync(env.IAM_TOKENS_EXTRA_CA_CERTS, root);
});

const send = (host: string, port: number, proxy = "") => {
  env.HTTPS_PROXY = proxy;
  return transport.send(
    { method: "GET", url: `https://${host}:${port}/`, headers: {} },
    { signal: idle(), timeoutMs: 5_000 },
  );
};

type Way = (
  server: (typeof CERTIFICATES)[number]["server"],
  host: string,
) => Promise<readonly unknown[]>;

/** What the other side of a TLS connection has received, each way there is one. */
const WAYS: Record<string, { readonly hosts: readonly string[]; readonly receives: Way }> = {
  "a service": {
    hosts: [...DOMAINS, "localhost", "127.0.0.1"],
    receives: async (server, host) => {
      const { port, requests } = await serverWith("HTTP/1.1 204 No\r\n\r\n", server);
      await send(host, port);
      return requests;
    },
  },
  "a service through a tunnel": {
    hosts: [...DOMAINS, "192.0.2.1", "[2001:db8::1]"],
    receives: async (server, host) => {
      const { port, requests } = await serverWith("HTTP/1.1 204 No\r\n\r\n", server);
      const proxy = await ConnectProxy.start(port);
      await send(host, port, proxy.url);
      expect(proxy.asked).toHaveLength(1);
      return requests;
    },
  },
  "an https proxy": {
    hosts: [...DOMAINS, "localhost", "127.0.0.1"],
    receives: async (server, host) => {
      const proxy = await ConnectProxy.start(0, { status: 403 }, server);
      await send("service.example.test", 443, `https://user:password@${host}:${proxy.port}`);
      return proxy.asked;
    },
  },
};

test.each(
  Object.entries(WAYS).flatMap(([to, { hosts }]) => hosts.map((host) => [to, host] as const)),
)("%s at %s receives something only with a certificate for that", async (to, host) => {
  const address = host.replace(/[[\]]/g, "");
  for (const { name, server, judged } of CERTIFICATES) {
    const isRight = isIP(address)
      ? name.split(",").includes(`IP:${address}`)
      : checkServerIdentity(address, judged) === undefined;
    const received = await WAYS[to]?.receives(server, host);
    expect({ name, requests: received?.length }).toEqual({ name, requests: isRight ? 1 : 0 });
  }
});
