import { get } from "node:https";
import { type EmbeddedIdentityConfig, EmbeddedIdentityService } from "../../lib/testing";
import { AUTHORITY, STRANGER } from "../identity/support/certificates";

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

test("only a client with its CA trusts a throw-away certificate, for localhost and 127.0.0.1", async () => {
  const { authUrl, keystoneUrl, ca } = await start({ tls: "throw-away" });
  expect(authUrl).toMatch(/^https:\/\/localhost:\d+$/);
  for (const url of [keystoneUrl, keystoneUrl.replace("localhost", "127.0.0.1")])
    expect(await statusOf(url, { ca })).toBe(200);
  for (const other of [undefined, AUTHORITY.ca])
    await expect(statusOf(keystoneUrl, { ca: other })).rejects.toMatchObject({
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
});

describe("client certificates", () => {
  test("accepts one that is made for the start; refuses none, and one of another CA", async () => {
    const identity = await start({ tls: "throw-away", clientCertificates: "throw-away" });
    const { ca, clientCertificate: own, keystoneUrl } = identity;
    expect(await statusOf(keystoneUrl, { ca, cert: own?.certificate, key: own?.key })).toBe(200);
    await expect(statusOf(keystoneUrl, { ca })).rejects.toThrow();
    await expect(statusOf(keystoneUrl, { ca, ...STRANGER.client })).rejects.toThrow();
    expect(identity.journal.map(({ status }) => status)).toEqual([200]);
  });

  test("a given CA decides, with a given certificate of the server", async () => {
    const { server, ca } = AUTHORITY;
    const identity = await start({
      tls: { certificate: server.cert, key: server.key, ca },
      clientCertificates: { ca: STRANGER.ca },
    });
    const { clientCertificate, keystoneUrl } = identity;
    expect([identity.ca, clientCertificate]).toEqual([ca, undefined]);
    expect(await statusOf(keystoneUrl, { ca, ...STRANGER.client })).toBe(200);
    await expect(statusOf(keystoneUrl, { ca, ...AUTHORITY.client })).rejects.toThrow();
  });
});

test.each([
  [
    "a key that is none",
    { certificate: AUTHORITY.server.cert, key: "canary" },
    "tls: certificate and key",
  ],
  ["no key", { certificate: "x" }, "tls: must be"],
  ["a misspelt word", "throwaway", "tls: must be"],
])("%s is refused, and the key is not printed", async (_what, tls, problem) => {
  const started = EmbeddedIdentityService.start({ ...minimal, tls: tls as "throw-away" });
  await expect(started).rejects.toMatchObject({
    code: "ERR_TESTING_CONFIG_INVALID",
    problem: expect.stringContaining(problem),
    message: expect.not.stringContaining("canary"),
  });
});
