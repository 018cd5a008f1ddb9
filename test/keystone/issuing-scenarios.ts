import { inspect } from "node:util";
import { IdentityClient, type IssuedToken, type Scope } from "../../lib/identity";
import { IAM_TOKEN_LIFETIME_MS, IamTokensError, parseAuthUrl, Secret } from "../../lib/tokens";
import { type IdentityUnderTest, PROJECTS, type UserName } from "./identity-under-test";
import { request } from "./plain-request";

const ACCOUNT: Scope = { kind: "account" };
const PERMITTED: Scope = { kind: "project", projectName: PROJECTS.permitted };
const OTHER: Scope = { kind: "project", projectName: PROJECTS.other };

/**
 * Issues through the identity room's client, and uses what comes of it. The same for the real and for the embedded service, so
 * that the second cannot drift from the first. To be called inside of a `describe`.
 */
export function issuingScenarios(start: () => Promise<IdentityUnderTest>): void {
  let service: IdentityUnderTest;
  let client: IdentityClient;

  beforeAll(async () => {
    service = await start();
  }, 360_000);
  afterAll(() => service?.stop(), 60_000);
  beforeEach(() => {
    client = new IdentityClient();
  });
  afterEach(() => client.close());

  const wish = (user: string, scope: Scope, changed: { readonly password?: string; readonly account?: string } = {}) => ({
    credential: {
      authUrl: parseAuthUrl(service.authUrl),
      accountId: changed.account ?? service.accountId,
      userName: user,
      password: Secret.of(changed.password ?? service.passwordOf(user as UserName)),
    },
    scope,
    ...(service.ca === undefined ? {} : { tls: { ca: service.ca } }),
  });
  const obtain = (...asked: Parameters<typeof wish>) => client.obtain(wish(...asked), new AbortController().signal);

  /** Asks the service itself: a consumer that authenticates with the token and gives its scope back. */
  const validate = async ({ token }: IssuedToken) => {
    const headers = { "X-Auth-Token": token.reveal(), "X-Subject-Token": token.reveal() };
    const { status, body } = await request(`${service.authUrl}/identity/v3/auth/tokens`, { headers, ca: service.ca });
    const { token: shown } = (status === 200 ? JSON.parse(body) : {}) as { token?: ShownToken };
    return { status, user: shown?.user.name, account: shown?.domain?.name, project: shown?.project?.name };
  };

  describe("a token is issued, and the service itself accepts it", () => {
    test.each([
      ["account", "svc", ACCOUNT],
      ["project, by the access area Account", "svc", PERMITTED],
      ["any other project of the account, by the access area Account", "svc", OTHER],
      ["project, by the access area Projects", "svc-projects-only", PERMITTED],
      ["account, for a name and a password of any script", "svc-ünïcode-用户", ACCOUNT],
      ["project, for a name and a password of any script", "svc-ünïcode-用户", PERMITTED],
    ] as const)("%s: %s", async (_what, user, scope) => {
      const issued = await obtain(user, scope);
      expect(issued).toMatchObject({
        kind: scope.kind === "account" ? "iam_token_account_scoped" : "iam_token_project_scoped",
        requestId: expect.stringMatching(/^req-/),
        warnings: [],
      });
      expect(issued.token.reveal()).toMatch(/^gAAAA[\w-]{150,}$/);
      expect(issued.expiresAt.getTime() - issued.issuedAt.getTime()).toBe(IAM_TOKEN_LIFETIME_MS);
      expect(await validate(issued)).toEqual({
        status: 200,
        user,
        account: scope.kind === "account" ? service.accountId : undefined,
        project: scope.kind === "project" ? scope.projectName : undefined,
      });
    });
  });

  describe("a refusal is one error that names the candidates, and shows no password", () => {
    test.each([
      ["a wrong password", "svc", ACCOUNT, { password: "canary-wrong-password" }],
      ["an unknown user", "no-such-user", ACCOUNT, { password: "canary-password" }],
      ["a name in another case", "SVC", ACCOUNT, {}],
      ["an unknown account", "svc", ACCOUNT, { account: "999999" }],
      ["an unknown project", "svc", { kind: "project", projectName: "no-such" }, {}],
      ["the account, with the access area Projects", "svc-projects-only", ACCOUNT, {}],
      ["a project that is not chosen", "svc-projects-only", OTHER, {}],
      ["no permission, account", "svc-no-permission", ACCOUNT, {}],
      ["no permission, project", "svc-no-permission", PERMITTED, {}],
      ["a disabled user", "svc-disabled", ACCOUNT, {}],
    ] as const)("%s", async (_what, user, scope, changed) => {
      const asked = wish(user, scope as Scope, changed);
      const error: unknown = await client.obtain(asked, new AbortController().signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: "ERR_CREDENTIALS_REJECTED", message: expect.stringMatching(/req-[0-9a-f-]{36}/) });
      const shown = `${inspect(error, { depth: 10, showHidden: true })} ${IamTokensError.is(error) ? error.stack : ""}`;
      expect(shown).not.toContain(asked.credential.password.reveal());
    });
  });

  test("a revoked token is refused by the service, and another of the same user is not", async () => {
    const { signal } = new AbortController();
    const asked = wish("svc", PERMITTED);
    const [own, other] = [await client.issueOwn(asked, signal), await client.issueOwn(asked, signal)];
    expect(own.token.reveal()).not.toBe(other.token.reveal());
    await client.revoke(own, asked.tls, signal);
    expect([(await validate(own)).status, (await validate(other)).status]).toEqual([401, 200]);
    // One that is gone already is no error.
    await client.revoke(own, asked.tls, signal);
  });

  test("twenty at a time for one credential are one token", async () => {
    const issued = await Promise.all(Array.from({ length: 20 }, () => obtain("svc", ACCOUNT)));
    expect(new Set(issued.map(({ token }) => token.reveal())).size).toBe(1);
  });
}

/** A pooled connection that the service has closed meanwhile. To be called inside of a `describe`. */
export function idleScenario(start: () => Promise<IdentityUnderTest>): void {
  test("a client that was idle for longer than the service keeps connections issues again", async () => {
    const service = await start();
    const client = new IdentityClient();
    try {
      const password = Secret.of(service.passwordOf("svc"));
      const credential = { authUrl: parseAuthUrl(service.authUrl), accountId: service.accountId, userName: "svc", password };
      const issue = () => client.issueOwn({ credential, scope: ACCOUNT }, new AbortController().signal);
      await issue();
      // Real time on purpose: Keystone closes after 5 s, which is what is tried.
      await new Promise((resolve) => setTimeout(resolve, 5_500));
      await expect(issue()).resolves.toMatchObject({ kind: "iam_token_account_scoped" });
    } finally {
      await client.close();
    }
  }, 20_000);
}

/** The tests of https: the CA decides. To be called inside of a `describe`. */
export function tlsScenarios(start: () => Promise<IdentityUnderTest>): void {
  let service: IdentityUnderTest;
  beforeAll(async () => {
    service = await start();
  }, 360_000);
  afterAll(() => service?.stop(), 60_000);

  async function obtain(ca: string | undefined): Promise<IssuedToken> {
    const client = new IdentityClient();
    try {
      const password = Secret.of(service.passwordOf("svc"));
      const credential = { authUrl: parseAuthUrl(service.authUrl), accountId: service.accountId, userName: "svc", password };
      const tls = ca === undefined ? {} : { tls: { ca } };
      return await client.obtain({ credential, scope: ACCOUNT, ...tls }, new AbortController().signal);
    } finally {
      await client.close();
    }
  }

  test("with its CA a token is issued", async () => {
    expect(service.authUrl).toMatch(/^https:/);
    await expect(obtain(service.ca)).resolves.toMatchObject({ kind: "iam_token_account_scoped" });
  });

  test("without its CA nothing is sent", async () => {
    await expect(obtain(undefined)).rejects.toMatchObject({ code: "ERR_TLS_FAILED" });
  });
}

interface ShownToken {
  readonly user: { readonly name: string };
  readonly domain?: { readonly name: string };
  readonly project?: { readonly name: string };
}
