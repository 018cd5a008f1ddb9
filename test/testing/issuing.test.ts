import { EmbeddedIdentityService } from "../../lib/testing";
import {
  ACCOUNT_SCOPE,
  ACCOUNTS,
  authBody,
  issue,
  PASSWORD,
  post,
  projectScope,
} from "./identity-client-of-a-test";

const UNAUTHORIZED =
  '{"error":{"code":401,"message":"The request you have made requires authentication.","title":"Unauthorized"}}';

const NOW = Date.parse("2030-01-01T12:00:00.750Z");

let identity: EmbeddedIdentityService;

beforeAll(async () => {
  identity = await EmbeddedIdentityService.start(ACCOUNTS, { now: () => NOW });
});
afterAll(() => identity.stop());
beforeEach(() => identity.clearJournal());

// What Keystone does as well is in test/keystone/conformance.
describe("issuing", () => {
  test("two accounts may have users of the same name", async () => {
    const asked = {
      account: "654321",
      password: "canary-password-elsewhere",
      scope: { domain: { name: "654321" } },
    };
    const token = await issue(identity, asked);
    expect(identity.describeToken(token)).toMatchObject({ accountId: "654321", user: "deployer" });
  });

  test("without a scope the token is unscoped, as Keystone's is", async () => {
    const token = await issue(identity, { scope: undefined });
    expect(identity.describeToken(token)).toMatchObject({ status: "valid", kind: null });
  });
});

describe("a refusal is the same 401 for every cause, and the journal has the cause", () => {
  test.each([
    ["wrong_password", { password: "wrong" }],
    ["wrong_password", { password: "" }],
    ["wrong_password", { password: `${PASSWORD} ` }],
    ["unknown_user", { user: "no-such" }],
    ["unknown_user", { user: "DEPLOYER" }],
    ["unknown_account", { account: "999999" }],
    ["unknown_account", { scope: { domain: { name: "999999" } } }],
    ["unknown_project", { scope: projectScope("no-such") }],
    ["unknown_project", { scope: projectScope("shop") }],
    ["no_permission", { scope: { domain: { name: "654321" } } }],
    ["no_permission", { scope: projectScope("shop", "654321") }],
    ["no_permission", { scope: { system: { all: true } } }],
    ["no_permission", { user: "web-only", password: "canary-password-of-web-only" }],
    [
      "no_permission",
      { user: "web-only", password: "canary-password-of-web-only", scope: projectScope("archive") },
    ],
    ["no_permission", { user: "nobody", password: "canary-password-of-nobody" }],
    ["user_disabled", { user: "gone", password: "canary-password-of-gone" }],
    ["not_a_service_user", { user: "owner", password: "canary-password-of-owner" }],
  ])("%s: %j", async (reason, asked) => {
    const answer = await post(identity, JSON.stringify(authBody(asked)));
    expect(answer.status).toBe(401);
    expect(await answer.text()).toBe(UNAUTHORIZED);
    expect(answer.headers.get("www-authenticate")).toBe(`Keystone uri="${identity.keystoneUrl}"`);
    expect(answer.headers.has("x-subject-token")).toBe(false);
    expect(identity.journal).toMatchObject([{ status: 401, reason, fingerprint: null }]);
  });
});

describe("a request that cannot be read", () => {
  const user = { name: "deployer", domain: { name: "123456" }, password: PASSWORD };
  const withUser = (changed: object) =>
    JSON.stringify({
      auth: {
        identity: { methods: ["password"], password: { user: changed } },
        scope: ACCOUNT_SCOPE,
      },
    });
  // test/keystone/conformance has all kinds.
  test("is 400, and the journal has the reason", async () => {
    expect((await post(identity, "{}")).status).toBe(400);
    expect(identity.journal).toMatchObject([{ status: 400, reason: "malformed_request" }]);
  });

  test("a 400 repeats what it was given, as Keystone's does", async () => {
    const answer = await post(identity, withUser({ ...user, password: ["canary-in-a-list"] }));
    expect(await answer.text()).toContain("canary-in-a-list");
    expect(JSON.stringify(identity.journal)).not.toContain("canary");
  });
});
