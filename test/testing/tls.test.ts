import { once } from "node:events";
import { get } from "node:https";
import { connect } from "node:tls";
import { EmbeddedIdentityService } from "../../lib/testing";
import { makeThrowAwayCertificate } from "../../lib/testing/tls/throw-away-certificate";

const minimal = { accountId: "123456", serviceUsers: [] };

function statusOf(url: string, ca: string | undefined): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { ...(ca === undefined ? {} : { ca }), agent: false }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode));
    }).once("error", reject);
  });
}

test("only a client with its CA trusts a throw-away certificate, under each name of this machine", async () => {
  const identity = await EmbeddedIdentityService.start({ ...minimal, tls: "throw-away" });
  try {
    expect(identity.authUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await statusOf(identity.keystoneUrl, identity.ca)).toBe(200);
    expect(
      await statusOf(identity.keystoneUrl.replace("127.0.0.1", "localhost"), identity.ca),
    ).toBe(200);
    await expect(statusOf(identity.keystoneUrl, undefined)).rejects.toMatchObject({
      code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    });
    const other = makeThrowAwayCertificate();
    await expect(statusOf(identity.keystoneUrl, other.ca)).rejects.toMatchObject({
      code: expect.stringMatching(/SIGNATURE|CERT/),
    });
  } finally {
    await identity.stop();
  }
});

test("a given certificate is used, and links are https", async () => {
  const { ca, certificate, key } = makeThrowAwayCertificate();
  const identity = await EmbeddedIdentityService.start({
    ...minimal,
    tls: { certificate, key, ca },
  });
  try {
    expect(identity.ca).toBe(ca);
    const socket = connect({ host: "127.0.0.1", port: identity.port, ca });
    await once(socket, "secureConnect");
    expect([socket.authorized, socket.getProtocol()]).toEqual([true, "TLSv1.3"]);
    socket.destroy();
  } finally {
    await identity.stop();
  }
});

describe("client certificates", () => {
  const statusWith = (
    url: string,
    tls: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined },
  ) =>
    new Promise<number | undefined>((resolve, reject) => {
      const given = Object.fromEntries(
        Object.entries(tls).filter(([, value]) => value !== undefined),
      );
      get(url, { ...given, agent: false }, (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode));
      }).once("error", reject);
    });

  test("accepts one that is made for the start; refuses none, and one of another CA", async () => {
    const identity = await EmbeddedIdentityService.start({
      ...minimal,
      tls: "throw-away",
      clientCertificates: "throw-away",
    });
    try {
      const { ca, clientCertificate: own, keystoneUrl } = identity;
      expect(await statusWith(keystoneUrl, { ca, cert: own?.certificate, key: own?.key })).toBe(
        200,
      );
      await expect(statusWith(keystoneUrl, { ca })).rejects.toThrow();
      const { client: other } = makeThrowAwayCertificate();
      await expect(
        statusWith(keystoneUrl, { ca, cert: other.certificate, key: other.key }),
      ).rejects.toThrow();
      expect(identity.journal.map(({ status }) => status)).toEqual([200]);
    } finally {
      await identity.stop();
    }
  });

  test("a given CA decides, with a given certificate of the server", async () => {
    const [server, clients] = [makeThrowAwayCertificate(), makeThrowAwayCertificate()];
    const identity = await EmbeddedIdentityService.start({
      ...minimal,
      tls: { certificate: server.certificate, key: server.key, ca: server.ca },
      clientCertificates: { ca: clients.ca },
    });
    try {
      const { ca, keystoneUrl } = identity;
      const { certificate: cert, key } = clients.client;
      expect([
        identity.clientCertificate,
        await statusWith(keystoneUrl, { ca, cert, key }),
      ]).toEqual([undefined, 200]);
      await expect(
        statusWith(keystoneUrl, { ca, cert: server.client.certificate, key: server.client.key }),
      ).rejects.toThrow();
    } finally {
      await identity.stop();
    }
  });
});

test.each([
  [
    "a key that is none",
    { certificate: makeThrowAwayCertificate().certificate, key: "canary" },
    "tls: certificate and key",
  ],
  ["no key", { certificate: "x" }, "tls.key: "],
  ["a misspelt word", "throwaway", "tls: "],
])("%s is refused, and the key is not printed", async (_what, tls, problem) => {
  const started = EmbeddedIdentityService.start({ ...minimal, tls: tls as "throw-away" });
  await expect(started).rejects.toMatchObject({
    code: "ERR_TESTING_CONFIG_INVALID",
    problem: expect.stringContaining(problem),
    message: expect.not.stringContaining("canary"),
  });
});
