import { once } from "node:events";
import { connect } from "node:net";
import { EmbeddedIdentityService } from "../../lib/testing";
import { fingerprintOf, Secret } from "../../lib/tokens";
import {
  ACCOUNTS,
  type Asked,
  issue,
  PASSWORD,
  post,
  projectScope,
  signIn,
  statusOf,
} from "./identity-client-of-a-test";

const HOUR = 3_600_000;
const START = Date.parse("2030-01-01T12:00:00Z");
const SECRET = "canary-secret-of-a-credential";
const OF_WEB = { user: "deployer", project: "web", secret: SECRET };

const WEB_ONLY = { user: "web-only", password: "canary-password-of-web-only" };

let now = START;
let identity: EmbeddedIdentityService;

beforeEach(async () => {
  now = START;
  identity = await EmbeddedIdentityService.start(
    {
      ...ACCOUNTS,
      staticTokens: ["canary-static"],
      applicationCredentials: [
        { id: "usual", name: "ci", ...OF_WEB },
        { id: "ended", ...OF_WEB, expiresAt: "2030-01-01T11:00:00Z" },
        { id: "ending", ...OF_WEB, expiresAt: "2030-01-01T13:00:00Z" },
        { id: "of gone", ...OF_WEB, user: "gone" },
      ],
      identityProviders: [
        { id: "ci", audience: "cloud", permission: { projects: ["web"] } },
        { id: "other", protocol: "mapped" },
      ],
    },
    { now: () => now, echo: true },
  );
});
afterEach(() => identity.stop());

const ask = (asked: Asked = {}) => signIn(identity, asked);
const postAuth = (auth: object) => post(identity, JSON.stringify({ auth }));
const byCredential = (credential: object, scope?: object) =>
  postAuth({
    identity: { methods: ["application_credential"], application_credential: credential },
    scope,
  });
const byToken = (id: string, scope?: object) =>
  postAuth({ identity: { methods: ["token"], token: { id } }, scope });
const byIdentityToken = (token: string, provider = "ci", protocol = "openid") => {
  const path = `OS-FEDERATION/identity_providers/${provider}/protocols/${protocol}/auth`;
  const headers = { Authorization: `Bearer ${token}` };
  return fetch(`${identity.keystoneUrl}/${path}`, { method: "POST", headers });
};
// biome-ignore lint/suspicious/noExplicitAny: the assertions are its check
const json = async (answer: Response | Promise<Response>) => (await (await answer).json()) as any;
const lastOf = () => identity.journal.at(-1);

// What our client gets is in test/keystone/contract.ts; here is what the journal says.
describe("a refusal has its reason in the journal alone:", () => {
  const NAMED = { name: "ci", secret: SECRET };
  const OWNER = { name: "deployer", domain: { name: "123456" } };
  test.each<[what: string, reason: string, status: number, ask: () => Promise<Response>]>([
    ["another account", "unknown_account", 401, () => ask({ account: "1" })],
    ["another user", "unknown_user", 401, () => ask({ user: "x" })],
    ["another password", "wrong_password", 401, () => ask({ password: "x" })],
    ["a user that is off", "user_disabled", 401, () => ask({ user: "gone" })],
    ["another project", "unknown_project", 401, () => ask({ scope: projectScope("x") })],
    [
      "another account as a scope",
      "unknown_account",
      401,
      () => ask({ scope: { domain: { name: "1" } } }),
    ],
    [
      "a project of another account",
      "unknown_account",
      401,
      () => ask({ scope: projectScope("web", "1") }),
    ],
    ["a project without a permission", "no_permission", 401, () => ask(WEB_ONLY)],
    ["no JSON", "malformed_request", 400, () => post(identity, "canary")],
    [
      "a way of signing in that there is not, next to one that there is",
      "method_unsupported",
      401,
      () => postAuth({ identity: { methods: ["password", "no-such"] } }),
    ],
    [
      "another application credential",
      "unknown_application_credential",
      404,
      () => byCredential({ id: "x", secret: SECRET }),
    ],
    [
      "another user's application credential",
      "unknown_application_credential",
      401,
      () => byCredential({ ...NAMED, user: { ...OWNER, name: "web-only" } }),
    ],
    [
      "an application credential of another user",
      "unknown_user",
      404,
      () => byCredential({ ...NAMED, user: { ...OWNER, name: "x" } }),
    ],
    ["another secret", "wrong_secret", 401, () => byCredential({ id: "usual", secret: "x" })],
    [
      "an application credential of a user that is off",
      "user_disabled",
      401,
      () => byCredential({ id: "of gone", secret: SECRET }),
    ],
    [
      "an application credential that has ended",
      "application_credential_expired",
      401,
      () => byCredential({ id: "ended", secret: SECRET }),
    ],
    [
      "a scope next to an application credential",
      "scope_with_application_credential",
      401,
      () => byCredential({ ...NAMED, user: OWNER }, projectScope("web")),
    ],
    ["a token that is none", "token_unknown", 404, () => byToken("canary")],
    [
      "a token of an application credential",
      "token_of_a_credential",
      403,
      async () => {
        const { headers } = await byCredential({ id: "usual", secret: SECRET });
        return byToken(headers.get("x-subject-token") ?? "", projectScope("web"));
      },
    ],
    ["no JWT", "identity_token_invalid", 401, () => byIdentityToken("a.b.c")],
    [
      "an identity token that has ended",
      "identity_token_invalid",
      401,
      () => byIdentityToken(identity.oidcToken({ expiresIn: -1 })),
    ],
    [
      "another issuer",
      "issuer_not_accepted",
      403,
      () => byIdentityToken(identity.oidcToken({ iss: "x" })),
    ],
    [
      "another audience",
      "audience_not_accepted",
      401,
      () => byIdentityToken(identity.oidcToken({ aud: ["x"] })),
    ],
    [
      "another provider",
      "unknown_identity_provider",
      404,
      () => byIdentityToken(identity.oidcToken(), "x"),
    ],
    [
      "another protocol",
      "unknown_identity_provider",
      401,
      () => byIdentityToken(identity.oidcToken(), "ci", "x"),
    ],
    [
      "a protocol of another provider",
      "unknown_identity_provider",
      404,
      () => byIdentityToken(identity.oidcToken(), "ci", "mapped"),
    ],
    [
      "an identity token that is too long",
      "identity_token_invalid",
      400,
      () => byIdentityToken("x".repeat(8200)),
    ],
  ])("%s: %s, %d", async (_what, reason, status, ask) => {
    const answer = await ask();
    const text = await answer.text();
    expect([answer.status, lastOf()?.status, lastOf()?.reason]).toEqual([status, status, reason]);
    expect(text).not.toContain(reason);
    expect(text + JSON.stringify(identity.journal)).not.toMatch(/canary|eyJ/);
    expect(answer.headers.get("x-subject-token")).toBeNull();
  });

  test("and each reference to another's token", async () => {
    const own = await issue(identity);
    const other = await issue(identity, { ...WEB_ONLY, scope: projectScope("web") });
    const seen: unknown[] = [];
    for (const [method, caller, subject] of [
      ["GET", own, own],
      ["GET", other, own],
      ["GET", "", own],
      ["GET", "x", own],
      ["DELETE", own, "x"],
      ["DELETE", own, own],
      ["DELETE", own, own],
      ["GET", other, own],
    ] as const) {
      const status = await statusOf(identity, method, caller, subject);
      seen.push([status, lastOf()?.reason]);
    }
    expect(seen).toEqual([
      [200, null],
      [403, "token_of_another_user"],
      [401, "token_missing"],
      [401, "token_unknown"],
      [404, "token_unknown"],
      [204, null],
      [401, "token_revoked"],
      [404, "token_revoked"],
    ]);
    expect([identity.isValid(own), identity.isValid(other)]).toEqual([false, true]);
  });
});

describe("a token", () => {
  test("has its body, its description, and its line in the journal", async () => {
    const answer = await ask({ scope: projectScope("web") });
    const { token: body } = await json(answer);
    const token = answer.headers.get("x-subject-token") ?? "";
    const domain = { id: expect.stringMatching(/^[0-9a-f]{32}$/), name: "123456" };
    const member = { id: expect.stringMatching(/^[0-9a-f]{32}$/), domain };
    expect(body).toEqual({
      methods: ["password"],
      user: { ...member, name: "deployer", password_expires_at: null },
      project: { ...member, name: "web" },
      roles: [expect.objectContaining({ name: "reader" }), expect.anything()],
      issued_at: "2030-01-01T12:00:00.000000Z",
      expires_at: "2030-01-02T12:00:00.000000Z",
    });
    expect(token).toMatch(/^gAAAA[\w-]{100,}$/);
    const fingerprint = fingerprintOf(Secret.of(token));
    expect(identity.describeToken(token)).toEqual({
      status: "valid",
      kind: "iam_token_project_scoped",
      user: "deployer",
      accountId: "123456",
      project: "web",
      issuedAt: new Date(START),
      expiresAt: new Date(START + 24 * HOUR),
      fingerprint,
    });
    expect(identity.journal).toEqual([
      {
        at: "2030-01-01T12:00:00.000Z",
        method: "POST",
        path: "/identity/v3/auth/tokens",
        status: 201,
        requestId: answer.headers.get("x-openstack-request-id"),
        user: "deployer",
        account: "123456",
        scope: { kind: "project", project: "web", account: "123456" },
        fingerprint,
        reason: null,
      },
    ]);
    expect(answer.headers.get("date")).toBe(new Date(START).toUTCString());
    expect(identity.issuedTokens()).toEqual([token]);
  });

  test("expires by the clock; one of a credential, or of a token, not later than that", async () => {
    const token = await issue(identity);
    now += HOUR / 2;
    const exchanged = (await byToken(token, projectScope("web"))).headers;
    const { headers } = await byCredential({ id: "ending", secret: SECRET });
    const [, ofToken = "", ofCredential = ""] = identity.issuedTokens();
    expect([exchanged, headers].map((each) => each.get("x-subject-token"))).toEqual([
      ofToken,
      ofCredential,
    ]);
    now = START + HOUR - 1;
    expect(identity.isValid(ofCredential)).toBe(true);
    now += 1;
    expect(identity.describeToken(ofCredential)).toMatchObject({ status: "expired" });
    now = START + 24 * HOUR - 1;
    expect([token, ofToken].map((each) => identity.isValid(each))).toEqual([true, true]);
    now += 1;
    expect([token, ofToken].map((each) => identity.isValid(each))).toEqual([false, false]);
    expect(await statusOf(identity, "GET", token, token)).toBe(401);
    expect(lastOf()?.reason).toBe("token_expired");
    expect(identity.describeToken("gAAAA")).toEqual({ status: "unknown" });
  });

  test("ends with a change of its user", async () => {
    const user = identity.user("deployer");
    const first = await issue(identity);
    user.changePassword("canary-second");
    expect(identity.isValid(first)).toBe(false);
    expect((await ask()).status).toBe(401);
    now += 1000;
    const second = await issue(identity, { password: "canary-second" });
    user.disable();
    expect(identity.isValid(second)).toBe(false);
    user.enable();
    expect(identity.isValid(second)).toBe(false);
    now += 1000;
    expect(identity.isValid(await issue(identity, { password: "canary-second" }))).toBe(true);
    expect(() => identity.user("x")).toThrow(/no user "x"/);
  });

  test("of an identity token is unscoped, and its user has the provider's permission", async () => {
    const job = identity.githubActions({ sub: "repo:example/shop" });
    const asked = fetch(`${job.ACTIONS_ID_TOKEN_REQUEST_URL}&audience=cloud`, {
      headers: { Authorization: `Bearer ${job.ACTIONS_ID_TOKEN_REQUEST_TOKEN}` },
    });
    const { value } = await json(asked);
    expect(identity.oidcTokens()).toEqual([value]);
    const signedIn = await byIdentityToken(value);
    const unscoped = signedIn.headers.get("x-subject-token") ?? "";
    const who = { user: "repo:example/shop", accountId: "123456" };
    expect(identity.describeToken(unscoped)).toMatchObject({ ...who, kind: null, project: null });
    expect((await byToken(unscoped, projectScope("web"))).status).toBe(201);
    expect(identity.describeToken(identity.issuedTokens()[1] ?? "")).toMatchObject({
      ...who,
      project: "web",
    });
    expect((await byToken(unscoped, { domain: { name: "123456" } })).status).toBe(401);
    expect((await fetch(job.ACTIONS_ID_TOKEN_REQUEST_URL)).status).toBe(401);
    expect(() => identity.oidcToken({ identityProvider: "x" })).toThrow(/no identity provider "x"/);
  });
});

test("the journal holds no password and no token, wherever a client puts them", async () => {
  const token = await issue(identity);
  const asked = { user: PASSWORD, account: SECRET, scope: projectScope("canary-static", token) };
  await ask(asked);
  await fetch(`${identity.keystoneUrl}/${token}?token=${token}`);
  const [first = "", ...rest] = PASSWORD;
  const code = first.charCodeAt(0).toString(16);
  for (const written of [
    PASSWORD,
    `%${code}${rest.join("")}`,
    `%25${code}${rest.join("")}`,
    Buffer.from(PASSWORD).toString("base64url"),
    Buffer.from(PASSWORD).toString("hex"),
  ])
    await fetch(`${identity.keystoneUrl}/before-${written}`);
  const hidden = "(sensitive)";
  expect(identity.journal.slice(1)).toMatchObject([
    { user: hidden, account: hidden, scope: { kind: "project", project: hidden, account: hidden } },
    ...Array(6).fill({ path: hidden }),
  ]);
  const before = identity.journal;
  identity.clearJournal();
  expect([before.length, identity.journal.length]).toEqual([8, 0]);
});

describe("/echo", () => {
  const echo = async (headers: Record<string, string>, method = "GET") => {
    const answer = await fetch(`${identity.authUrl}/echo`, { method, headers });
    return { status: answer.status, ...(await json(answer)) };
  };

  test.each(["GET", "POST"])("describes a token to %s, and does not repeat it", async (method) => {
    const token = await issue(identity, { scope: projectScope("web") });
    expect(await echo({ "X-Auth-Token": token }, method)).toEqual({
      status: 200,
      header: "X-Auth-Token",
      kind: "iam_token_project_scoped",
      user: "deployer",
      account: "123456",
      project: "web",
      expires_at: "2030-01-02T12:00:00.000Z",
      fingerprint: fingerprintOf(Secret.of(token)),
    });
    expect(lastOf()).toMatchObject({ path: "/echo", status: 200, user: "deployer" });
    const account = await echo({ "X-Auth-Token": await issue(identity) });
    expect(account).toMatchObject({ kind: "iam_token_account_scoped", project: null });
    expect(await echo({ "X-Token": "canary-static" })).toEqual({
      status: 200,
      header: "X-Token",
      kind: "static_token",
      account: "123456",
    });
  });

  test("refuses all else, and says why", async () => {
    const token = await issue(identity);
    const refused = async (headers: Record<string, string>, reason: string, why: string) => {
      const { status, error } = await echo(headers);
      expect([status, lastOf()?.reason, error]).toEqual([401, reason, expect.stringMatching(why)]);
    };
    await refused({}, "token_missing", "neither X-Auth-Token nor X-Token");
    await refused({ "X-Auth-Token": token, "X-Token": "x" }, "wrong_header", "both X-Auth-Token");
    await refused({ "X-Auth-Token": "canary-static" }, "wrong_header", "Send it in X-Token.");
    await refused({ "X-Token": token }, "wrong_header", "Send it in X-Auth-Token.");
    for (const header of ["X-Token", "X-Auth-Token"])
      await refused(
        { [header]: "canary-stati" },
        "token_unknown",
        `in ${header} is neither issued`,
      );
    now += 24 * HOUR;
    await refused({ "X-Auth-Token": token }, "token_expired", "is expired.");
  });
});

describe("a service", () => {
  const minimal = { accountId: "1", serviceUsers: [] };

  test("has nothing else: any other path, and /echo without the option, is 404", async () => {
    const quiet = await EmbeddedIdentityService.start(minimal);
    for (const path of ["/echo", "/identity/__proto__", "/identity/v3/users"])
      expect((await fetch(quiet.authUrl + path)).status).toBe(404);
    const href = `${quiet.keystoneUrl}/`;
    const version = { id: "v3.14", status: "stable", links: [{ rel: "self", href }] };
    const documentAt = async (path: string) => {
      const answer = await fetch(quiet.authUrl + path);
      return [answer.status, await answer.json()];
    };
    for (const path of ["", "/identity", "/identity/"])
      expect(await documentAt(path)).toEqual([300, { versions: { values: [version] } }]);
    for (const path of ["/identity/v3", "/identity/v3/"])
      expect(await documentAt(path)).toEqual([200, { version }]);
    await quiet.stop();
  });

  test("puts a catalog into scoped tokens as it is given, and has a lifetime", async () => {
    const catalog = [{ type: "compute", endpoints: [{ url: "http://127.0.0.1:8774" }] }];
    const small = { ...ACCOUNTS, catalog, tokenLifetimeSeconds: 60 };
    const other = await EmbeddedIdentityService.start(small, { now: () => 1_000_999 });
    const answer = await signIn(other);
    expect((await json(answer)).token.catalog).toEqual(catalog);
    expect(other.describeToken(other.issuedTokens()[0] ?? "")).toMatchObject({
      issuedAt: new Date(1_000_000),
      expiresAt: new Date(1_060_000),
    });
    await other.stop();
  });

  test("that is stopped ends waiting requests; twice is no error", async () => {
    const slow = await EmbeddedIdentityService.start(minimal, {
      intercept: () => ({ cut: "silence" }),
    });
    const socket = connect(slow.port, "127.0.0.1").resume();
    socket.write("GET /identity/v3 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n");
    // Node.js writes "100 Continue", then calls the service.
    await once(socket, "data");
    await slow.stop();
    await slow.stop();
    await once(socket, "close");
    expect(slow.journal).toEqual([]);
  });

  test("that finds its port taken says so", async () => {
    const { port } = identity;
    await expect(EmbeddedIdentityService.start({ ...minimal, port })).rejects.toMatchObject({
      code: "ERR_LISTEN_FAILED",
      problem: `Port ${port} of 127.0.0.1 is in use.`,
    });
  });
});
