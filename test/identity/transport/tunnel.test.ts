import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TlsOptions } from "node:tls";
import { runInThisContext } from "node:vm";
import { IdentityClient, type Limits, limitsOf, type TlsMaterial } from "../../../lib/identity";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import { Secret } from "../../../lib/tokens";
import { AUTHORITY, STRANGER } from "../support/certificates";
import { type Behaviour, ConnectProxy } from "../support/connect-proxy";
import { answerText, RawServer } from "../support/raw-server";
import { errorOf, idle, PASSWORD_CANARY, requestAt, until } from "../support/wanted";

const HOST = "keystone.example.test";
const secure = AUTHORITY.server;
const PROXY = "proxy.example.test";
// The only names that are resolved, and they never leave the machine.
const lookup: LookupFunction = (name, options, callback) => {
  if (name !== HOST && name !== PROXY) callback(new Error("unexpected name"), "", 4);
  else if (options.all) callback(null, [{ address: "127.0.0.1", family: 4 }]);
  else callback(null, "127.0.0.1", 4);
};

interface World {
  readonly client: IdentityClient;
  readonly service: RawServer;
  readonly proxy: ConnectProxy;
  readonly obtain: () => Promise<string>;
  readonly lines: unknown[];
}

/** A TLS service, a proxy to it, and a client that has the proxy in its environment. */
async function world(
  use: (world: World) => Promise<void>,
  over: {
    behaviour?: Behaviour;
    /** Makes the proxy one that is reached by TLS. */
    proxyTls?: TlsOptions;
    /** In place of `http://` and 127.0.0.1. */
    reachedBy?: string;
    env?: Record<string, string>;
    limits?: Partial<Limits>;
    extraCaFile?: string;
    tls?: TlsMaterial;
  } = {},
): Promise<void> {
  const service = await RawServer.start(
    ({ socket }) => socket.write(answerText("201 Created", ["X-Subject-Token: t"])),
    secure,
  );
  const proxy = await ConnectProxy.start(service.port, over.behaviour, over.proxyTls);
  const limits = limitsOf(over.limits);
  const { reachedBy = "http://127.0.0.1", extraCaFile } = over;
  const env = { HTTPS_PROXY: `${reachedBy}:${proxy.port}`, ...over.env };
  const lines: unknown[] = [];
  const trusting = { ...env, IAM_TOKENS_EXTRA_CA_CERTS: extraCaFile };
  const options = { limits, env: trusting, now: Date.now, lookup };
  const client = new IdentityClient({
    transport: new HttpTransport(options),
    limits,
    random: () => 0.5,
    sleep: async () => {},
    log: (...line) => lines.push(line),
  });
  const obtain = async () => {
    const tls = over.tls ?? { ca: AUTHORITY.ca };
    const request = requestAt(`https://${HOST}:${service.port}`, { tls });
    return (await client.issueOwn(request, idle())).token.reveal();
  };
  try {
    await use({ client, service, proxy, obtain, lines });
  } finally {
    await client.close();
    await proxy.close();
    await service.close();
  }
}

const WITH_CREDENTIALS = `http://user:${PASSWORD_CANARY}@127.0.0.1`;

test("a request goes through the proxy as an opaque tunnel", async () => {
  await world(async ({ obtain, proxy, service }) => {
    expect(await obtain()).toBe("t");
    expect(proxy.asked).toEqual([{ target: `${HOST}:${service.port}`, authorization: undefined }]);
    expect(service.requests[0]?.head).not.toMatch(/proxy/i);
  });
});

test("the proxy's credentials go only to the proxy, and never into a log", async () => {
  await world(
    async ({ obtain, proxy, service, lines }) => {
      await obtain();
      expect(proxy.asked[0]?.authorization).toBe(
        `Basic ${Buffer.from(`user:${PASSWORD_CANARY}`).toString("base64")}`,
      );
      expect(service.requests[0]?.head.toLowerCase()).not.toContain("proxy-authorization");
      expect(JSON.stringify(lines)).not.toContain(PASSWORD_CANARY);
    },
    { reachedBy: WITH_CREDENTIALS },
  );
});

test("a request that is given up ends the connection to a proxy that has not answered", async () => {
  await world(
    async ({ client, proxy }) => {
      const giveUp = new AbortController();
      const obtaining = errorOf(client.obtain(requestAt(`https://${HOST}`), giveUp.signal));
      await until(() => proxy.asked.length > 0);
      giveUp.abort();
      expect((await obtaining).code).toBe("ERR_CANCELLED");
      await until(() => proxy.open === 0);
    },
    // So long that nothing ends by itself.
    { behaviour: "hang", limits: { connectMs: 60_000, requestMs: 60_000 } },
  );
});

test("a proxy that wants credentials is an error that names it, without its credentials", async () => {
  await world(
    async ({ obtain, proxy }) => {
      const { code, message } = await errorOf(obtain());
      expect(code).toBe("ERR_PROXY_REFUSED");
      expect(message).toContain(`127.0.0.1:${proxy.port}`);
      expect(message).not.toContain("user");
      expect(proxy.asked).toHaveLength(1);
    },
    { behaviour: { status: 407 }, reachedBy: WITH_CREDENTIALS },
  );
});

test("the service's certificate is checked inside the tunnel", async () => {
  await world(
    async ({ obtain, service }) => {
      expect((await errorOf(obtain())).code).toBe("ERR_TLS_FAILED");
      expect(service.requests).toHaveLength(0);
    },
    { tls: { ca: STRANGER.ca } },
  );
});

describe("a proxy that is reached by TLS", () => {
  const ours = AUTHORITY.client;
  const tls = { ca: AUTHORITY.ca, cert: ours.cert, key: Secret.of(ours.key) };

  async function through(
    certificate: typeof AUTHORITY.server,
    use: (world: World) => Promise<void>,
    host = "127.0.0.1",
  ) {
    const folder = mkdtempSync(join(tmpdir(), "iam-proxy-"));
    const extraCaFile = join(folder, "extra.pem");
    writeFileSync(extraCaFile, STRANGER.ca);
    const proxyTls = {
      ...certificate,
      requestCert: true,
      rejectUnauthorized: false,
    };
    await world(use, { proxyTls, reachedBy: `https://${host}`, extraCaFile, tls }).finally(() =>
      rmSync(folder, { recursive: true }),
    );
  }

  test.each(["127.0.0.1", PROXY])(
    "at %s is trusted by the extra certificates and its own name, and does not receive the client certificate for the service",
    async (host) => {
      await through(
        STRANGER.server,
        async ({ obtain, proxy }) => {
          expect(await obtain()).toBe("t");
          expect(proxy.asked).toMatchObject([{ certified: false }]);
        },
        host,
      );
    },
  );

  test("is not trusted by the service's CA, nor unchecked because NODE_TLS_REJECT_UNAUTHORIZED says so", async () => {
    for (const rejectUnauthorized of ["1", "0"]) {
      // The process's own environment, of which jest gives tests a copy.
      const env: NodeJS.ProcessEnv = runInThisContext("process.env");
      const before = env.NODE_TLS_REJECT_UNAUTHORIZED;
      env.NODE_TLS_REJECT_UNAUTHORIZED = rejectUnauthorized;
      try {
        await through(AUTHORITY.server, async ({ obtain, proxy }) => {
          expect((await errorOf(obtain())).code).toBe("ERR_TLS_FAILED");
          expect(proxy.asked).toEqual([]);
        });
      } finally {
        if (before === undefined) delete env.NODE_TLS_REJECT_UNAUTHORIZED;
        else env.NODE_TLS_REJECT_UNAUTHORIZED = before;
      }
    }
  });
});
