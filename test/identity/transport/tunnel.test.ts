import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { IdentityClient, type Limits, limitsOf } from "../../../lib/identity";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import { Secret } from "../../../lib/tokens";
import { TestAuthority } from "../support/certificates";
import { type Behaviour, ConnectProxy } from "../support/connect-proxy";
import { answerText, RawServer } from "../support/raw-server";
import { errorOf, idle, PASSWORD_CANARY, requestAt, until } from "../support/wanted";

const authority = new TestAuthority();
const HOST = "keystone.example.test";
const secure = authority.issue({ name: "service", hosts: [HOST, "127.0.0.1", "localhost"] });
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
  readonly obtain: (host?: string) => Promise<string>;
  readonly lines: unknown[];
}

/** A TLS service, a proxy to it, and a client that has the proxy in its environment. */
async function world(
  use: (world: World) => Promise<void>,
  over: {
    behaviour?: Behaviour;
    userinfo?: string;
    env?: Record<string, string>;
    limits?: Partial<Limits>;
    ca?: string;
  } = {},
): Promise<void> {
  const service = await RawServer.start(
    ({ socket }) => socket.write(answerText("201 Created", ["X-Subject-Token: t"])),
    secure,
  );
  const proxy = await ConnectProxy.start(service.port, over.behaviour);
  // Short only for what is ended by it: a busy machine fails no test.
  const limits = limitsOf({
    ...(over.behaviour === "hang" ? { connectMs: 300 } : {}),
    ...over.limits,
  });
  const env = { HTTPS_PROXY: `http://${over.userinfo ?? ""}127.0.0.1:${proxy.port}`, ...over.env };
  const lines: unknown[] = [];
  const transport = new HttpTransport({ limits, env, now: Date.now, lookup });
  const client = new IdentityClient({
    transport,
    limits,
    random: () => 0.5,
    sleep: async () => {},
    log: (...line) => lines.push(line),
  });
  const obtain = async (host = HOST) => {
    const request = requestAt(`https://${host}:${service.port}`, {
      tls: { ca: over.ca ?? authority.cert },
    });
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

test("a request goes through the proxy as an opaque tunnel", async () => {
  await world(async ({ obtain, proxy, service }) => {
    expect(await obtain()).toBe("t");
    expect(proxy.asked).toEqual([{ target: `${HOST}:${service.port}`, authorization: undefined }]);
    expect(service.requests[0]?.head).not.toMatch(/proxy/i);
  });
});

test("the proxy's credentials go only to the proxy, and never into a log", async () => {
  await world(
    async ({ obtain, proxy, service, lines, client }) => {
      await obtain();
      expect(proxy.asked[0]?.authorization).toBe(
        `Basic ${Buffer.from(`user:${PASSWORD_CANARY}`).toString("base64")}`,
      );
      expect(service.requests[0]?.head.toLowerCase()).not.toContain("proxy-authorization");
      expect(JSON.stringify(lines)).not.toContain(PASSWORD_CANARY);
      expect(client).toBeDefined();
    },
    { userinfo: `user:${PASSWORD_CANARY}@` },
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

test.each(["127.0.0.1", "localhost"])("%s is never reached through a proxy", async (host) => {
  // The stand-in resolves localhost; 127.0.0.1 needs no resolving.
  await world(async ({ proxy, service, client }) => {
    const direct = new IdentityClient({ env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } });
    const request = requestAt(`https://${host}:${service.port}`, { tls: { ca: authority.cert } });
    expect((await direct.obtain(request, idle())).token.reveal()).toBe("t");
    await direct.close();
    expect(proxy.asked).toEqual([]);
    expect(client).toBeDefined();
  });
});

test("a host in NO_PROXY is reached directly", async () => {
  await world(
    async ({ obtain, proxy }) => {
      expect(await obtain()).toBe("t");
      expect(proxy.asked).toEqual([]);
    },
    { env: { NO_PROXY: ".example.test" } },
  );
});

test.each<[string, Behaviour, string, number]>([
  ["wants credentials", { status: 407 }, "ERR_PROXY_REFUSED", 1],
  ["forbids", { status: 403 }, "ERR_PROXY_REFUSED", 1],
  ["cannot reach the service", { status: 502 }, "ERR_PROXY_REFUSED", 4],
  ["closes the connection", "close", "ERR_CONNECTION_FAILED", 9],
  ["hangs", "hang", "ERR_CONNECTION_FAILED", 4],
])(
  "a proxy that %s is an error that names it, without its credentials",
  async (_name, behaviour, code, tries) => {
    await world(
      async ({ obtain, proxy }) => {
        const error = await errorOf(obtain());
        expect(error.code).toBe(code);
        expect(error.message).toContain(`127.0.0.1:${proxy.port}`);
        expect(error.message).not.toContain("user");
        expect(proxy.asked).toHaveLength(tries);
      },
      { behaviour, userinfo: `user:${PASSWORD_CANARY}@` },
    );
  },
);

test("the error about an unreachable proxy names it", async () => {
  await world(async ({ obtain, proxy }) => {
    const { port } = proxy;
    await proxy.close();
    const error = await errorOf(obtain());
    expect(error.code).toBe("ERR_CONNECTION_FAILED");
    expect(error.message).toContain(`through the proxy 127.0.0.1:${port} failed (ECONNREFUSED)`);
    // For the end of the world, which closes it once more.
    Object.assign(proxy, { close: async () => {} });
  });
});

test("the service's certificate is checked inside the tunnel", async () => {
  await world(
    async ({ obtain, service }) => {
      expect((await errorOf(obtain())).code).toBe("ERR_TLS_FAILED");
      expect(service.requests).toHaveLength(0);
    },
    { ca: new TestAuthority("Stranger").cert },
  );
});

describe("a proxy that is reached by TLS", () => {
  const proxies = new TestAuthority("Proxies");
  const ours = authority.issue({ name: "client" });
  const tls = { ca: authority.cert, cert: ours.cert, key: Secret.of(ours.key) };

  async function through(
    issuer: TestAuthority,
    use: (obtain: () => Promise<string>, proxy: ConnectProxy) => Promise<void>,
    host = "127.0.0.1",
  ) {
    const folder = mkdtempSync(join(tmpdir(), "iam-proxy-"));
    const extraCaFile = join(folder, "extra.pem");
    writeFileSync(extraCaFile, proxies.cert);
    const service = await RawServer.start(
      ({ socket }) => socket.write(answerText("201 Created", ["X-Subject-Token: t"])),
      secure,
    );
    const asking = {
      ...issuer.issue({ name: "proxy", hosts: ["127.0.0.1", PROXY] }),
      requestCert: true,
      rejectUnauthorized: false,
    };
    const proxy = await ConnectProxy.start(service.port, "tunnel", asking);
    const env = { HTTPS_PROXY: `https://${host}:${proxy.port}` };
    const transport = new HttpTransport({
      limits: limitsOf(),
      env,
      now: Date.now,
      lookup,
      extraCaFile,
    });
    const client = new IdentityClient({ transport, sleep: async () => {} });
    const request = requestAt(`https://${HOST}:${service.port}`, { tls });
    try {
      await use(async () => (await client.obtain(request, idle())).token.reveal(), proxy);
    } finally {
      await client.close();
      await proxy.close();
      await service.close();
      rmSync(folder, { recursive: true });
    }
  }

  test.each(["127.0.0.1", PROXY])(
    "at %s is trusted by the extra certificates and its own name, and does not receive the client certificate for the service",
    async (host) => {
      await through(
        proxies,
        async (obtain, proxy) => {
          expect(await obtain()).toBe("t");
          expect(proxy.asked).toMatchObject([{ certified: false }]);
        },
        host,
      );
    },
  );

  test("is asked by Node.js's own client, whatever others put in its place", async () => {
    const theirs = [http, https].map((module) =>
      jest.spyOn(module, "request").mockImplementation(() => {
        throw new Error("not to be used");
      }),
    );
    try {
      await through(proxies, async (obtain) => expect(await obtain()).toBe("t"));
    } finally {
      for (const each of theirs) each.mockRestore();
    }
  });

  test("is not trusted by the service's CA, nor unchecked because NODE_TLS_REJECT_UNAUTHORIZED says so", async () => {
    for (const rejectUnauthorized of ["1", "0"]) {
      // The process's own environment, of which jest gives tests a copy.
      const env: NodeJS.ProcessEnv = runInThisContext("process.env");
      const before = env.NODE_TLS_REJECT_UNAUTHORIZED;
      env.NODE_TLS_REJECT_UNAUTHORIZED = rejectUnauthorized;
      try {
        await through(authority, async (obtain, proxy) => {
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

test("an unusable address of a proxy is an error, and nothing is sent", async () => {
  await world(
    async ({ obtain, proxy, service }) => {
      expect((await errorOf(obtain())).code).toBe("ERR_PROXY_INVALID");
      expect(proxy.asked).toEqual([]);
      expect(service.connections).toBe(0);
    },
    { env: { HTTPS_PROXY: `socks5://user:${PASSWORD_CANARY}@127.0.0.1:1` } },
  );
});
