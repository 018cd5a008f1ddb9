import { EmbeddedIdentityService } from "cdktf-iam-tokens/testing";

const config = {
  accountId: "123456",
  serviceUsers: [{ name: "deployer", password: "first", permission: { account: true } }],
};

/** Requests a token, as the program under test does: its status, and when the token expires. */
async function login(identity: EmbeddedIdentityService) {
  const domain = { name: "123456" };
  const password = { user: { name: "deployer", domain, password: "first" } };
  const auth = { identity: { methods: ["password"], password }, scope: { domain } };
  const answer = await fetch(`${identity.keystoneUrl}/auth/tokens`, {
    method: "POST",
    body: JSON.stringify({ auth }),
    signal: AbortSignal.timeout(500),
  });
  const token = identity.describeToken(answer.headers.get("x-subject-token") ?? "");
  return { status: answer.status, token };
}

let identity: EmbeddedIdentityService;
afterEach(() => identity.stop());

test("a 503 twice, then a token", async () => {
  identity = await EmbeddedIdentityService.start(config, {
    intercept: ({ number }, serve) => (number <= 2 ? { status: 503 } : serve()),
  });
  const statuses = [await login(identity), await login(identity), await login(identity)];
  expect(statuses.map(({ status }) => status)).toEqual([503, 503, 201]);
});

test("a token that expires in an hour", async () => {
  identity = await EmbeddedIdentityService.start({ ...config, tokenLifetimeSeconds: 3600 });
  const { token } = await login(identity);
  const left = token.status === "valid" ? token.expiresAt.getTime() - Date.now() : 0;
  expect(Math.round(left / 60_000)).toBe(60);
});

test("a service that is silent", async () => {
  identity = await EmbeddedIdentityService.start(config, { intercept: () => ({ cut: "silence" }) });
  await expect(login(identity)).rejects.toThrow("timeout");
});

test("a password that changes, and the reason of the refusal", async () => {
  identity = await EmbeddedIdentityService.start(config);
  identity.user("deployer").changePassword("second");
  expect((await login(identity)).status).toBe(401);
  expect(identity.journal.map(({ reason }) => reason)).toEqual(["wrong_password"]);
});
