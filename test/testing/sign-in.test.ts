import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedIdentityService, InProcessIdentityService } from "../../lib/testing";
import { makeScratch } from "../support/scratch";
import { authBody, PASSWORD } from "./identity-client-of-a-test";

const SECRET = "canary-secret";
const CONFIG = {
  accountId: "123456",
  serviceUsers: [
    { name: "deployer", password: PASSWORD, permission: { projects: ["web"] } },
    { name: "person", password: PASSWORD, permission: { account: true }, secondFactor: true },
  ],
  projects: ["archive"],
  applicationCredentials: [
    { id: "web", user: "deployer", project: "web", secret: SECRET },
    { name: "named", user: "person", project: "archive", secret: SECRET },
    { id: "lost", user: "deployer", project: "archive", secret: SECRET },
    {
      id: "ending",
      user: "deployer",
      project: "web",
      secret: SECRET,
      expiresAt: "2030-01-01T12:10:00Z",
    },
  ],
  identityProviders: [
    { id: "ci", permission: { account: true } },
    {
      id: "other",
      issuer: "https://issuer.example",
      audience: "keystone",
      permission: { projects: ["shop"] },
    },
  ],
};

let now = 0;
let identity: InProcessIdentityService;
beforeEach(() => {
  now = Date.parse("2030-01-01T12:00:00Z");
  identity = InProcessIdentityService.create(CONFIG, { now: () => now });
});

const lastEntry = () => identity.journal.at(-1);

async function ask(identityOf: object, scope?: unknown) {
  const url = "/identity/v3/auth/tokens";
  const auth = { identity: identityOf, ...(scope === undefined ? {} : { scope }) };
  const answer = await identity.handle({ method: "POST", url, body: JSON.stringify({ auth }) });
  return { ...answer, token: answer.headers["x-subject-token"] ?? "" };
}

const byCredential = (credential: object, scope?: unknown) =>
  ask({ methods: ["application_credential"], application_credential: credential }, scope);

async function byIdToken(token: string, provider = "ci", protocol = "openid") {
  const url = `/identity/v3/OS-FEDERATION/identity_providers/${provider}/protocols/${protocol}/auth`;
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await identity.handle({ method: "POST", url, headers });
  return { ...answer, token: answer.headers["x-subject-token"] ?? "" };
}

// How Keystone answers is in test/keystone/conformance.
describe("application credentials of the configuration", () => {
  test("by id, and by name and user: a token of that user for the project", async () => {
    const { token } = await byCredential({ id: "web", secret: SECRET });
    expect(identity.describeToken(token)).toMatchObject({ user: "deployer", project: "web" });
    expect(lastEntry()).toMatchObject({
      user: "deployer",
      scope: { kind: "project", project: "web", account: "123456" },
    });
    const user = { name: "person", domain: { name: "123456" } };
    const named = await byCredential({ name: "named", secret: SECRET, user });
    expect(identity.describeToken(named.token)).toMatchObject({ project: "archive" });
  });

  test("one with an end: its tokens end with it, and then it is refused", async () => {
    const { token } = await byCredential({ id: "ending", secret: SECRET });
    expect(identity.describeToken(token)).toMatchObject({
      expiresAt: new Date("2030-01-01T12:10:00Z"),
    });
    now += 600_000;
    expect(identity.isValid(token)).toBe(false);
    await byCredential({ id: "ending", secret: SECRET });
    expect(lastEntry()).toMatchObject({ status: 401, reason: "application_credential_expired" });
  });

  test.each([
    ["wrong_secret", 401, { id: "web", secret: "canary-wrong" }, undefined],
    ["scope_with_application_credential", 401, { id: "web", secret: SECRET }, "unscoped"],
    ["unknown_application_credential", 404, { id: "no-such", secret: SECRET }, undefined],
    // Its user has no permission for the project.
    ["unknown_application_credential", 404, { id: "lost", secret: SECRET }, undefined],
  ])("%s is in the journal, and no secret", async (reason, status, credential, scope) => {
    expect((await byCredential(credential, scope)).status).toBe(status);
    expect(lastEntry()).toMatchObject({ status, reason });
    expect(JSON.stringify(identity.journal)).not.toContain("canary");
  });

  test("a secret that a client sends as a name is not in the journal", async () => {
    await byCredential({ name: SECRET, secret: SECRET, user: { id: SECRET } });
    expect(JSON.stringify(identity.journal)).not.toContain("canary");
  });
});

test("a user with a second factor signs in by an application credential alone", async () => {
  const { identity: password } = (authBody({ user: "person" }) as { auth: { identity: object } })
    .auth;
  const { status, headers, token } = await ask(password);
  expect([status, token, headers["openstack-auth-receipt"]]).toEqual([
    401,
    "",
    expect.stringMatching(/^gAAAA/),
  ]);
  expect(lastEntry()).toMatchObject({ user: "person", reason: "second_factor_required" });
});

describe("identity tokens", () => {
  test("have the claims that are given, and those of the identity provider", async () => {
    const claimsOf = (token: string) =>
      JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    const iat = now / 1000;
    expect(claimsOf(identity.oidcToken())).toEqual({
      iss: "https://ci.issuer.invalid",
      sub: "job",
      iat,
      exp: iat + 300,
    });
    const claims = { ref: "main", sub: "over" };
    const given = { identityProvider: "other", sub: "s", aud: ["a"], expiresIn: -60, claims };
    expect(claimsOf(identity.oidcToken(given))).toEqual({
      iss: "https://issuer.example",
      sub: "over",
      aud: ["a"],
      iat,
      exp: iat - 60,
      ref: "main",
    });
    expect(identity.oidcTokens()).toHaveLength(2);
  });

  test("become an unscoped token, which becomes others for the permitted scopes", async () => {
    const first = await byIdToken(identity.oidcToken({ identityProvider: "other" }), "other");
    expect(first.status).toBe(201);
    const methods = { methods: ["token"], token: { id: first.token } };
    const domain = { name: "123456" };
    const { token } = await ask(methods, { project: { name: "shop", domain } });
    expect(identity.describeToken(token)).toMatchObject({
      user: "job",
      accountId: "123456",
      project: "shop",
    });
    expect((await ask(methods, { domain })).status).toBe(401);
    expect(lastEntry()).toMatchObject({ user: "job", account: "123456", reason: "no_permission" });
  });

  test.each([
    ["identity_token_invalid", 401, { expiresIn: -1 }, "ci"],
    ["issuer_not_accepted", 403, {}, "other"],
    ["audience_not_accepted", 401, { identityProvider: "other", aud: "canary-else" }, "other"],
    ["unknown_identity_provider", 404, {}, "no-such"],
  ])("%s is in the journal, and no token", async (reason, status, options, provider) => {
    const token = identity.oidcToken(options);
    expect((await byIdToken(token, provider)).status).toBe(status);
    expect(lastEntry()).toMatchObject({ status, reason });
    await identity.handle({ url: `/identity/v3/${token}` });
    expect(JSON.stringify(identity.journal)).not.toMatch(/eyJ|canary/);
  });

  test("of another service have another key", async () => {
    const other = InProcessIdentityService.create(CONFIG, { now: () => now });
    expect((await byIdToken(other.oidcToken())).status).toBe(401);
  });

  test("of an identity provider that is not in the configuration there are none", () => {
    for (const make of [
      () => identity.oidcToken({ identityProvider: "no-such" }),
      () => InProcessIdentityService.create({ accountId: "1", serviceUsers: [] }).githubActions(),
    ])
      expect(make).toThrow(expect.objectContaining({ code: "ERR_TESTING_CONFIG_INVALID" }));
  });
});

describe("a job of GitHub Actions", () => {
  const get = async (url: string, bearer: string) =>
    identity.handle({ url, headers: { Authorization: `Bearer ${bearer}` } });

  test("gets an identity token for an audience, which the service accepts", async () => {
    const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } =
      identity.githubActions({ identityProvider: "other", sub: "repo:example/shop" });
    const { status, body } = await get(`${url}&audience=keystone`, bearer);
    expect(status).toBe(200);
    const { value } = JSON.parse(body);
    expect(identity.oidcTokens()).toEqual([value]);
    const { token } = await byIdToken(value, "other");
    expect(identity.describeToken(token)).toMatchObject({ user: "repo:example/shop" });
  });

  test("gets none with another bearer", async () => {
    const { ACTIONS_ID_TOKEN_REQUEST_URL: url } = identity.githubActions();
    expect((await get(`${url}&audience=keystone`, "canary")).status).toBe(401);
    expect(lastEntry()).toMatchObject({ path: "/github-actions/id-token", status: 401 });
    expect(identity.oidcTokens()).toEqual([]);
  });
});

test("a token of more than 16 kB gets the answer of Apache, and not of Node.js", async () => {
  await using listening = await EmbeddedIdentityService.start(CONFIG);
  const token = listening.oidcToken({ claims: { pad: "x".repeat(30_000) } });
  const path = "OS-FEDERATION/identity_providers/ci/protocols/openid/auth";
  const { status } = await fetch(`${listening.keystoneUrl}/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(status).toBe(400);
});

test("a file has the name of a variable in the place of a secret", async () => {
  const scratch = makeScratch();
  try {
    const file = join(scratch.folder, "config.json");
    const [{ secret: _secret, ...credential }] = CONFIG.applicationCredentials as [
      (typeof CONFIG.applicationCredentials)[0],
    ];
    const reference = { ...credential, secretEnv: "WEB_SECRET" };
    writeFileSync(file, JSON.stringify({ ...CONFIG, applicationCredentials: [reference] }));
    await using listening = await EmbeddedIdentityService.startFromFile(file, {
      env: { WEB_SECRET: SECRET },
    });
    const body = JSON.stringify({
      auth: {
        identity: {
          methods: ["application_credential"],
          application_credential: { id: "web", secret: SECRET },
        },
      },
    });
    const url = "/identity/v3/auth/tokens";
    expect((await listening.handle({ method: "POST", url, body })).status).toBe(201);
  } finally {
    scratch.remove();
  }
});
