import { InProcessIdentityService, identityMatchers } from "cdktf-iam-tokens/testing";

expect.extend(identityMatchers);

let now = Date.parse("2030-01-01T12:00:00Z");
const identity = InProcessIdentityService.create(
  {
    accountId: "123456",
    serviceUsers: [{ name: "deployer", password: "first", permission: { projects: ["web"] } }],
    projects: ["archive"],
    lockout: { failures: 3 },
  },
  { now: () => now },
);

// A service without a socket: the program under test gets such a function instead of `fetch`.
async function login(password: string, project = "web") {
  const domain = { name: "123456" };
  const user = { name: "deployer", domain, password };
  const scope = { project: { name: project, domain } };
  const auth = { identity: { methods: ["password"], password: { user } }, scope };
  const url = `${identity.keystoneUrl}/auth/tokens`;
  const answer = await identity.handle({ method: "POST", url, body: JSON.stringify({ auth }) });
  return { status: answer.status, token: answer.headers["x-subject-token"] ?? "" };
}

test("a token is for its project, and lives 24 hours", async () => {
  const { token } = await login("first");
  expect(identity).toHaveIssued({ user: "deployer", project: "web", times: 1 });
  now += 24 * 3_600_000;
  expect(identity.describeToken(token)).toMatchObject({ status: "expired", project: "web" });
});

test("every refusal is a 401, and the journal has the reason", async () => {
  expect((await login("first", "archive")).status).toBe(401);
  expect(identity).toHaveRefused({ reason: "no_permission", times: 1 });
});

test("a changed password ends the tokens; three wrong ones lock the user", async () => {
  const { token } = await login("first");
  identity.user("deployer").changePassword("second");
  expect(identity.isValid(token)).toBe(false);
  for (let time = 0; time < 3; time += 1) await login("first");
  expect((await login("second")).status).toBe(401);
  identity.user("deployer").unlock();
  expect((await login("second")).status).toBe(201);
});
