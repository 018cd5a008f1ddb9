import { get } from "node:https";
import { EmbeddedIdentityService } from "cdktf-iam-tokens/testing";

const statusOf = (url: string, ca: string | undefined) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { agent: false, ca }, (answer) => {
      resolve(answer.resume().statusCode);
    }).once("error", reject);
  });

test("the service is busy once, and only a client with its CA trusts it", async () => {
  const identity = await EmbeddedIdentityService.start(
    { accountId: "123456", serviceUsers: [], tls: "throw-away" },
    { intercept: ({ number }, serve) => (number === 1 ? { status: 503 } : serve()) },
  );
  try {
    expect(await statusOf(identity.keystoneUrl, identity.ca)).toBe(503);
    expect(await statusOf(identity.keystoneUrl, identity.ca)).toBe(200);
    await expect(statusOf(identity.keystoneUrl, undefined)).rejects.toThrow();
  } finally {
    await identity.stop();
  }
});
