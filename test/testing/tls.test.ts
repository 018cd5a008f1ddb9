import { once } from "node:events";
import { get } from "node:https";
import { connect } from "node:tls";
import { type EmbeddedIdentityConfig, EmbeddedIdentityService } from "../../lib/testing";
import { makeThrowAwayCertificate } from "../../lib/testing/tls/throw-away-certificate";

const minimal = { accountId: "123456", serviceUsers: [] };

function statusOf(
  url: string,
  tls: Readonly<Partial<Record<"ca" | "cert" | "key", string | undefined>>> = {},
): Promise<number | undefined> {
  const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    get(url, { ...given, agent: false }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode));
    }).once("error", reject);
  });
}

/** A service with these settings, which ends with the test. */
async function start(tls: Pick<EmbeddedIdentityConfig, "tls" | "clientCertificates">) {
  const identity = await EmbeddedIdentityService.start({ ...minimal, ...tls });
  started.push(identity);
  return identity;
}
const started: EmbeddedIdentityService[] = [];
afterEach(async () => {
  for (const identity of started.splice(0)) await identity.stop();
});

test("only a client with its CA trusts a throw-away certificate, under each name of this machine", async () => {
  const { authUrl, keystoneUrl, ca } = await start({ tls: "throw-away" });
  expect(authUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  for (const url of [keystoneUrl, keystoneUrl.replace("127.0.0.1", "localhost")])
    expect(await statusOf(url, { ca })).toBe(200);
  await expect(statusOf(keystoneUrl)).rejects.toMatchObject({
    code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  });
  const other = makeThrowAwayCertificate();
  await expect(statusOf(keystoneUrl, { ca: other.ca })).rejects.toMatchObject({
    code: expect.stringMatching(/SIGNATURE|CERT/),
  });
});

test("a given certificate is used, and links are https", async () => {
  const { ca, certificate, key } = makeThrowAwayCertificate();
  const identity = await start({ tls: { certificate, key, ca } });
  expect(identity.ca).toBe(ca);
  const socket = connect({ host: "127.0.0.1", port: identity.port, ca });
  await once(socket, "secureConnect");
  expect([socket.authorized, socket.getProtocol()]).toEqual([true, "TLSv1.3"]);
  socket.destroy();
});

describe("client certificates", () => {
  const asked = ({ certificate, key }: { certificate: string; key: string }, ca?: string) => ({
    ca,
    cert: certificate,
    key,
  });

  test("accepts one that is made for the start; refuses none, and one of another CA", async () => {
    const identity = await start({ tls: "throw-away", clientCertificates: "throw-away" });
    const { ca, clientCertificate: own, keystoneUrl } = identity;
    expect(await statusOf(keystoneUrl, { ca, cert: own?.certificate, key: own?.key })).toBe(200);
    await expect(statusOf(keystoneUrl, { ca })).rejects.toThrow();
    const { client: other } = makeThrowAwayCertificate();
    await expect(statusOf(keystoneUrl, asked(other, ca))).rejects.toThrow();
    expect(identity.journal.map(({ status }) => status)).toEqual([200]);
  });

  test("a given CA decides, with a given certificate of the server", async () => {
    const [server, clients] = [makeThrowAwayCertificate(), makeThrowAwayCertificate()];
    const { ca, clientCertificate, keystoneUrl } = await start({
      tls: { certificate: server.certificate, key: server.key, ca: server.ca },
      clientCertificates: { ca: clients.ca },
    });
    expect(clientCertificate).toBeUndefined();
    expect(await statusOf(keystoneUrl, asked(clients.client, ca))).toBe(200);
    await expect(statusOf(keystoneUrl, asked(server.client, ca))).rejects.toThrow();
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
