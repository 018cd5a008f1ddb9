import { get } from "node:https";
import { EmbeddedIdentityService } from "../../lib/testing";
import { AUTHORITY } from "../identity/support/certificates";

const minimal = { accountId: "123456", serviceUsers: [] };

function statusOf(url: string, ca: string | undefined): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { ...(ca === undefined ? {} : { ca }), agent: false }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode));
    }).once("error", reject);
  });
}

test("only a client with its CA trusts a throw-away certificate, for localhost and 127.0.0.1", async () => {
  const identity = await EmbeddedIdentityService.start({ ...minimal, tls: "throw-away" });
  try {
    const { authUrl, keystoneUrl, ca } = identity;
    expect(authUrl).toMatch(/^https:\/\/localhost:\d+$/);
    for (const url of [keystoneUrl, keystoneUrl.replace("localhost", "127.0.0.1")])
      expect(await statusOf(url, ca)).toBe(200);
    for (const other of [undefined, AUTHORITY.ca])
      await expect(statusOf(keystoneUrl, other)).rejects.toMatchObject({
        code: "DEPTH_ZERO_SELF_SIGNED_CERT",
      });
  } finally {
    await identity.stop();
  }
});

test.each([
  ["a certificate without its key", { certificate: AUTHORITY.server.cert, key: "canary" }],
  ["a word that is misspelt", "throwaway"],
])("%s is refused, and not printed", async (_what, tls) => {
  const started = EmbeddedIdentityService.start({ ...minimal, tls: tls as "throw-away" });
  await expect(started).rejects.toMatchObject({
    code: "ERR_TESTING_CONFIG_INVALID",
    problem: expect.stringContaining('tls: must be "throw-away"'),
    message: expect.not.stringContaining("canary"),
  });
});
