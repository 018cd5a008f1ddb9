import { type Demand, ProductApi } from "../../examples/demo/product-api";
import { EmbeddedIdentityService } from "../../lib/testing";
import { askAbout, issue, PASSWORD, projectScope } from "./identity-client-of-a-test";

const STATIC = "canary-static-token";
const demands: Record<string, Demand> = {
  "/account": { kind: "iam_token_account_scoped" },
  "/projects/web": { kind: "iam_token_project_scoped", project: "web" },
  "/dns": { kind: "static_token" },
};

let now = 1_900_000_000_000;
let identity: EmbeddedIdentityService;
let api: ProductApi;
const tokens: Record<string, string> = { static: STATIC };

beforeAll(async () => {
  const user = { name: "deployer", password: PASSWORD, permission: { account: true } };
  identity = await EmbeddedIdentityService.start(
    {
      accountId: "123456",
      serviceUsers: [user],
      projects: ["web", "shop"],
      accounts: [{ accountId: "654321", serviceUsers: [user] }],
    },
    { now: () => now },
  );
  api = await ProductApi.start({ identity, accountId: "123456", staticTokens: [STATIC], demands });
  now -= 25 * 3_600_000;
  tokens.expired = await issue(identity);
  now += 25 * 3_600_000;
  tokens.account = await issue(identity);
  tokens.web = await issue(identity, { scope: projectScope("web") });
  tokens.shop = await issue(identity, { scope: projectScope("shop") });
  tokens.elsewhere = await issue(identity, {
    account: "654321",
    scope: { domain: { name: "654321" } },
  });
  tokens.revoked = await issue(identity);
  await askAbout(identity, "DELETE", tokens.revoked, tokens.revoked);
});
afterAll(async () => {
  await api.stop();
  await identity.stop();
});

test.each([
  ["/account", { "X-Auth-Token": "account" }, 200, null],
  [
    "/account",
    { "X-Auth-Token": "web" },
    403,
    "This path takes iam_token_account_scoped, and got iam_token_project_scoped.",
  ],
  ["/account", { "X-Auth-Token": "elsewhere" }, 403, "The token is of another account."],
  ["/account", { "X-Auth-Token": "expired" }, 401, "The IAM token is expired."],
  ["/account", { "X-Auth-Token": "revoked" }, 401, "The IAM token is revoked."],
  ["/account", {}, 401, "Neither X-Auth-Token nor X-Token is given."],
  [
    "/account",
    { "X-Auth-Token": "account", "X-Token": "static" },
    401,
    "Both X-Auth-Token and X-Token are given.",
  ],
  ["/projects/web", { "X-Auth-Token": "web" }, 200, null],
  ["/projects/web", { "X-Auth-Token": "shop" }, 403, "The token is of another project than web."],
  ["/dns", { "X-Token": "static" }, 200, null],
  ["/dns", { "X-Auth-Token": "static" }, 401, "X-Auth-Token holds no IAM token of this service."],
  [
    "/dns",
    { "X-Auth-Token": "account" },
    403,
    "This path takes static_token, and got iam_token_account_scoped.",
  ],
  ["/elsewhere", { "X-Auth-Token": "account" }, 404, "There is nothing here."],
])("%s with %j is %i: %s", async (path, given, status, reason) => {
  const headers = Object.fromEntries(
    Object.entries(given).map(([name, token]) => [name, tokens[token] ?? ""]),
  );
  const answer = await fetch(`${api.url}${path}?token=canary`, { headers });
  expect([answer.status, await answer.json()]).toEqual([
    status,
    reason === null ? { ok: true } : { error: reason },
  ]);
  expect(api.journal.at(-1)).toMatchObject({ method: "GET", path, status, reason });
});

test("the journal shows header, kind and fingerprint, and no token", async () => {
  await fetch(`${api.url}/projects/web`, { headers: { "X-Auth-Token": tokens.web ?? "" } });
  expect(api.journal.at(-1)).toEqual({
    method: "GET",
    path: "/projects/web",
    headerName: "X-Auth-Token",
    kind: "iam_token_project_scoped",
    fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
    status: 200,
    reason: null,
  });
  const printed = JSON.stringify(api.journal);
  for (const token of Object.values(tokens)) expect(printed).not.toContain(token);
});
