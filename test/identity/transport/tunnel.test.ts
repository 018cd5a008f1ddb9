import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TlsOptions } from "node:tls";
import type { TlsMaterial } from "../../../lib/identity";
import { type Limits, limitsOf } from "../../../lib/identity/limits";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import { Secret } from "../../../lib/tokens";
import { useScratch } from "../../support/scratch";
import { clientWith, LOOPBACK, serverWith } from "../support/against";
import { AUTHORITY, STRANGER } from "../support/certificates";
import { type Behaviour, ConnectProxy } from "../support/connect-proxy";
import { errorOf, idle, PASSWORD_CANARY, requestAt, until, withChecks } from "../support/wanted";

const HOST = "keystone.example.test";
const PROXY = "proxy.example.test";

interface Setting {
  readonly behaviour?: Behaviour;
  /** Makes the proxy one that is reached by TLS. */
  readonly proxyTls?: TlsOptions;
  /** In place of `http://` and 127.0.0.1. */
  readonly reachedBy?: string;
  readonly limits?: Partial<Limits>;
  readonly extraCaFile?: string;
  readonly tls?: TlsMaterial;
}

/** A TLS service, a proxy to it, and a client that has the proxy in its environment. */
async function world({ behaviour, proxyTls, tls = { ca: AUTHORITY.ca }, ...over }: Setting = {}) {
  const service = await serverWith(undefined, AUTHORITY.server);
  const proxy = await ConnectProxy.start(service.port, behaviour, proxyTls);
  const limits = limitsOf(over.limits);
  const { reachedBy = "http://127.0.0.1", extraCaFile } = over;
  const env = {
    HTTPS_PROXY: `${reachedBy}:${proxy.port}`,
    IAM_TOKENS_EXTRA_CA_CERTS: extraCaFile,
  };
  const lines: unknown[] = [];
  const client = clientWith({
    transport: new HttpTransport({ limits, env, now: Date.now, lookup: LOOPBACK }),
    limits,
    log: (...line) => lines.push(line),
  });
  const request = requestAt(`https://${HOST}:${service.port}`, { tls });
  return { service, proxy, lines, obtain: (signal = idle()) => client.obtain(request, signal) };
}

const WITH_CREDENTIALS = `http://user:${PASSWORD_CANARY}@127.0.0.1`;

test.each<Behaviour>(["tunnel", "tunnel by 201"])(
  "a request goes through the proxy as an opaque %s",
  async (behaviour) => {
    const { obtain, proxy, service } = await world({ behaviour });
    await obtain();
    const target = `${HOST}:${service.port}`;
    const agent = "cdktf-iam-tokens/0";
    expect(proxy.asked).toEqual([{ target, authorization: undefined, agent }]);
    expect(service.requests[0]?.head).not.toMatch(/proxy/i);
  },
);

test("the proxy's credentials go only to the proxy, and never into a log", async () => {
  const { obtain, proxy, service, lines } = await world({ reachedBy: WITH_CREDENTIALS });
  await obtain();
  expect(proxy.asked[0]?.authorization).toBe(
    `Basic ${Buffer.from(`user:${PASSWORD_CANARY}`).toString("base64")}`,
  );
  expect(service.requests[0]?.head.toLowerCase()).not.toContain("proxy-authorization");
  expect(JSON.stringify(lines)).not.toContain(PASSWORD_CANARY);
});

test("a request that is given up ends the connection to a proxy that has not answered", async () => {
  // So long that nothing ends by itself.
  const limits = { connectMs: 60_000, requestMs: 60_000 };
  const { obtain, proxy } = await world({ behaviour: "hang", limits });
  const giveUp = new AbortController();
  const obtaining = errorOf(obtain(giveUp.signal));
  await until(() => proxy.asked.length > 0);
  giveUp.abort();
  expect((await obtaining).code).toBe("ERR_CANCELLED");
  await until(() => proxy.open === 0);
});

test.each<[what: string, behaviour: Behaviour, code: string, tries: number, says: string]>([
  ["that answers 407", { status: 407 }, "ERR_PROXY_REFUSED", 1, "answered 407"],
  ["that answers 502", { status: 502 }, "ERR_PROXY_REFUSED", 10, "after 10 tries"],
  ["that closes", "close", "ERR_CONNECTION_FAILED", 10, "connection to the proxy"],
  ["with a page", "show a page", "ERR_ANSWER_UNEXPECTED", 1, "The proxy"],
  ["that says ERROR", "say ERROR", "ERR_ANSWER_UNEXPECTED", 1, "The proxy"],
])(
  "a proxy %s is an error that names it, without its credentials",
  async (_what, behaviour, code, tries, says) => {
    const { obtain, proxy } = await world({ behaviour, reachedBy: WITH_CREDENTIALS });
    const error = await errorOf(obtain());
    expect(error.code).toBe(code);
    expect(error.message).toContain(`127.0.0.1:${proxy.port}`);
    expect(error.message).toContain(says);
    expect(error.message).not.toContain("user");
    expect(proxy.asked).toHaveLength(tries);
  },
);

test("a proxy that is silent is ended by the time for a connection", async () => {
  const limits = { connectMs: 150, totalMs: 0 };
  const { obtain } = await world({ behaviour: "hang", limits });
  expect((await errorOf(obtain())).message).toContain("to the proxy");
});

test("the service's certificate is checked inside the tunnel", async () => {
  const { obtain, service } = await world({ tls: { ca: STRANGER.ca } });
  expect((await errorOf(obtain())).code).toBe("ERR_TLS_FAILED");
  expect(service.requests).toHaveLength(0);
});

describe("a proxy that is reached by TLS", () => {
  const ours = AUTHORITY.client;
  const tls = { ca: AUTHORITY.ca, cert: ours.cert, key: Secret.of(ours.key) };
  const scratch = useScratch("block");
  const extraCa = () => join(scratch.folder, "extra.pem");
  beforeAll(() => writeFileSync(extraCa(), STRANGER.ca));

  const named: string[] = [];
  const SNICallback: TlsOptions["SNICallback"] = (name, done) => {
    named.push(name);
    done(null);
  };
  const through = (certificate: typeof AUTHORITY.server, host = "127.0.0.1") =>
    world({
      proxyTls: { ...certificate, SNICallback, requestCert: true, rejectUnauthorized: false },
      reachedBy: `https://${host}`,
      extraCaFile: extraCa(),
      tls,
    });

  test.each([
    ["127.0.0.1", []],
    [PROXY, [PROXY]],
  ])(
    "at %s is trusted by its own name, and does not receive the client certificate",
    async (host, names) => {
      const { obtain, proxy } = await through(STRANGER.server, host);
      await obtain();
      expect(named.splice(0)).toEqual(names);
      expect(proxy.asked).toMatchObject([{ certified: false }]);
    },
  );

  test("is not trusted by the service's CA, nor unchecked because NODE_TLS_REJECT_UNAUTHORIZED says so", async () => {
    for (const checks of ["1", "0"]) {
      const { obtain, proxy } = await through(AUTHORITY.server);
      const { code, message } = await errorOf(withChecks(checks, () => obtain()));
      expect(code).toBe("ERR_TLS_FAILED");
      expect(message).toContain(`connection to the proxy 127.0.0.1:${proxy.port}`);
      expect(proxy.asked).toEqual([]);
    }
  });
});
