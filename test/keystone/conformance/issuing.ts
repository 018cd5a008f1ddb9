import { inspect } from "node:util";
import type { Scope } from "../../../lib/identity";
import { defined, IAM_TOKEN_LIFETIME_MS, IamTokensError } from "../../../lib/tokens";
import { PROJECTS } from "../identity-under-test";
import { request } from "../plain-request";
import type { ConformanceCase, ConformanceGroup, Need } from "./case";
import type { ServiceHands, TokenBody } from "./service-hands";

const ACCOUNT: Scope = { kind: "account" };
const PERMITTED: Scope = { kind: "project", projectName: PROJECTS.permitted };
const OTHER: Scope = { kind: "project", projectName: PROJECTS.other };

const issued: readonly ConformanceCase[] = (
  [
    ["account", "", ACCOUNT, []],
    ["project, by the access area Account", "svc", PERMITTED, ["users"]],
    ["any other project of the account, by the access area Account", "svc", OTHER, ["users"]],
    ["project, by the access area Projects", "svc-projects-only", PERMITTED, ["users"]],
    ["account, for a name and a password of any script", "svc-ünïcode-用户", ACCOUNT, ["users"]],
    ["project, for a name and a password of any script", "svc-ünïcode-用户", PERMITTED, ["users"]],
    ["account, for a password of more than 72 bytes", "svc-long-password", ACCOUNT, ["users"]],
    ["account, for a password that will expire", "svc-expiring", ACCOUNT, ["users"]],
  ] as readonly (readonly [string, string, Scope, readonly Need[]])[]
).map(([name, user, scope, needs]) => ({
  name,
  needs,
  run: (service) => issueAndUse(service, user || service.service.user, scope),
}));

const ownProject: ConformanceCase = {
  name: "project, for the user and the project that are given",
  needs: ["project"],
  run: (service) =>
    issueAndUse(service, service.service.user, {
      kind: "project",
      projectName: service.service.projects.permitted ?? "",
    }),
};

async function issueAndUse(service: ServiceHands, user: string, scope: Scope): Promise<void> {
  await service.withClient(async (client, signal) => {
    const token = await client.obtain(service.issueRequest(user, scope), signal);
    expect(token).toMatchObject({
      kind: scope.kind === "account" ? "iam_token_account_scoped" : "iam_token_project_scoped",
      requestId: expect.stringMatching(/^req-/),
      warnings: [],
    });
    expect(token.token.reveal()).toMatch(
      service.service.exactTexts ? /^gAAAA[\w-]{150,}$/ : /^[\x21-\x7e]{20,}$/,
    );
    // Keystone reads its clock twice, and a second may begin in between.
    const lifetime = token.expiresAt.getTime() - token.issuedAt.getTime();
    expect([0, 1_000]).toContain(IAM_TOKEN_LIFETIME_MS - lifetime);
    // A consumer that authenticates with the token, and gives its scope back: the service itself.
    const headers = {
      "X-Auth-Token": token.token.reveal(),
      "X-Subject-Token": token.token.reveal(),
    };
    const { status, body } = await request(token.authUrl.tokens, {
      headers,
      ca: service.service.ca,
    });
    expect(status).toBe(200);
    const { token: tokenBody } = JSON.parse(body) as { readonly token: TokenBody };
    expect([tokenBody.user.name, tokenBody.domain?.name, tokenBody.project?.name]).toEqual([
      user,
      scope.kind === "account" ? service.service.accountId : undefined,
      scope.kind === "project" ? scope.projectName : undefined,
    ]);
  });
}

const refused: readonly ConformanceCase[] = (
  [
    [
      "a wrong password",
      "svc",
      ACCOUNT,
      { password: "canary-wrong-password" },
      ["users", "failed_login"],
    ],
    ["an unknown user", "no-such-user", ACCOUNT, { password: "canary-password" }, []],
    ["a name in another case", "SVC", ACCOUNT, { password: "canary-password" }, ["users"]],
    [
      "an unknown account",
      "svc",
      ACCOUNT,
      { account: "no-such-account", password: "canary-password" },
      [],
    ],
    ["an unknown project", "svc", { kind: "project", projectName: "no-such" }, {}, ["users"]],
    ["the account, with the access area Projects", "svc-projects-only", ACCOUNT, {}, ["users"]],
    ["a project that is not chosen", "svc-projects-only", OTHER, {}, ["users"]],
    ["no permission, account", "svc-no-permission", ACCOUNT, {}, ["users"]],
    ["no permission, project", "svc-no-permission", PERMITTED, {}, ["users"]],
    ["a disabled user", "svc-disabled", ACCOUNT, {}, ["users"]],
    ["an expired password", "svc-expired", ACCOUNT, {}, ["users"]],
    [
      "a password of which 72 bytes are wrong",
      "svc-long-password",
      ACCOUNT,
      { password: "a".repeat(100) },
      ["users", "failed_login"],
    ],
  ] as readonly (readonly [
    string,
    string,
    Scope,
    { readonly password?: string; readonly account?: string },
    readonly Need[],
  ])[]
).map(([name, user, scope, changed, needs]) => ({
  name,
  needs,
  run: async (service) => {
    const issueRequest = service.issueRequest(user, scope, changed);
    await service.withClient(async (client, signal) => {
      const error: unknown = await client.obtain(issueRequest, signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({
        code: "ERR_CREDENTIALS_REJECTED",
        message: expect.stringMatching(/req-[0-9a-f-]{36}/),
      });
      const tokenBody = `${inspect(error, { depth: 10, showHidden: true })} ${IamTokensError.is(error) ? error.stack : ""}`;
      expect(tokenBody).not.toContain(issueRequest.credential.secret.reveal());
    });
  },
}));

const more: readonly ConformanceCase[] = [
  {
    name: "a token that our client has revoked is refused by the service, and another of the same user is not",
    needs: ["revocation"],
    run: async (service) => {
      await service.withClient(async (client, signal) => {
        const issueRequest = service.issueRequest(service.service.user, ACCOUNT);
        const [own, other] = [
          await client.issueOwn(issueRequest, signal),
          await client.issueOwn(issueRequest, signal),
        ];
        expect(own.token.reveal()).not.toBe(other.token.reveal());
        const revocation = { ...own, ...defined({ tls: issueRequest.tls }) };
        expect(await client.revoke(revocation, signal)).toBe("revoked");
        expect([
          await service.accepts(own.token.reveal()),
          await service.accepts(other.token.reveal()),
        ]).toEqual([false, true]);
        expect(await client.revoke(revocation, signal)).toBe("gone");
      });
    },
  },
  {
    name: "twenty at a time for one credential are one token",
    run: async (service) => {
      await service.withClient(async (client) => {
        const issueRequest = service.issueRequest(service.service.user, ACCOUNT);
        const all = await Promise.all(
          Array.from({ length: 20 }, () =>
            client.obtain(issueRequest, new AbortController().signal),
          ),
        );
        expect(new Set(all.map(({ token }) => token.reveal())).size).toBe(1);
      });
    },
  },
  {
    name: "a client that was idle for longer than the service keeps connections issues again",
    needs: ["deployment"],
    waits: true,
    run: async (service) => {
      await service.withClient(async (client, signal) => {
        const issue = () =>
          client.issueOwn(service.issueRequest(service.service.user, ACCOUNT), signal);
        await issue();
        // Real time on purpose: the service closes after 5 s, which is what is tried.
        await new Promise((resolve) => setTimeout(resolve, 5_500));
        await expect(issue()).resolves.toMatchObject({ kind: "iam_token_account_scoped" });
      });
    },
  },
];

/** Through our own client, with what comes of it used at the service itself. */
export const ISSUING: readonly ConformanceGroup[] = [
  {
    name: "our client is issued a token, and the service accepts it",
    cases: [...issued, ownProject],
  },
  {
    name: "our client is refused with one error that names the candidates, and shows no password",
    cases: refused,
  },
  { name: "our client", cases: more },
];

/** The tests of https, on a service of its own: the CA decides. */
export const HTTPS: ConformanceGroup = {
  name: "https",
  cases: [
    {
      name: "with its CA a token is issued",
      run: async (service) => {
        expect(service.service.authUrl).toMatch(/^https:/);
        await issueAndUse(service, service.service.user, ACCOUNT);
      },
    },
    {
      name: "without its CA nothing is sent",
      run: async (service) => {
        await service.withClient(async (client, signal) => {
          const { tls: _none, ...issueRequest } = service.issueRequest(
            service.service.user,
            ACCOUNT,
          );
          await expect(client.obtain(issueRequest, signal)).rejects.toMatchObject({
            code: "ERR_TLS_FAILED",
          });
        });
      },
    },
    {
      name: "links are https",
      run: async (service) => {
        const { headers, body } = await service.send("/identity");
        expect(headers.location).toBe(`${service.service.authUrl}/identity/v3/`);
        expect(body).toContain(`"${service.service.authUrl}/identity/v3/"`);
      },
    },
  ],
};
