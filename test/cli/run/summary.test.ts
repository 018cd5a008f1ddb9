import { toJsonSummary, toTextSummary } from "../../../lib/cli/run/summary";
import type { Usage } from "../../../lib/identity";
import type { CredentialUsage } from "../../../lib/identity/usage-journal";

const HOUR = 3_600_000;
const web = {
  authUrl: "https://k.example/identity/v3",
  way: "password",
  accountId: "123456",
  accountDomainId: null,
  userName: "deployer",
  userId: null,
  applicationCredential: null,
  identityProvider: null,
  kind: "iam_token_project_scoped",
  projectName: "web",
  projectId: null,
  tokens: 2,
  uses: 7,
  briefUses: 0,
  requests: 5,
  retries: 3,
  waitedMs: 1_234.5,
  last: {
    fingerprint: "0123456789ab",
    issuedAt: "2026-01-02T03:04:05.000Z",
    expiresAt: "2026-01-03T03:04:05.000Z",
    remainingMs: 23.5 * HOUR,
  },
} as const satisfies CredentialUsage;
const usageOf = (credentials: readonly CredentialUsage[], partial = false): Usage => {
  const total = { tokens: 0, uses: 0, briefUses: 0, requests: 0, retries: 0, waitedMs: 0 };
  for (const name of Object.keys(total) as (keyof typeof total)[])
    for (const usage of credentials) total[name] += usage[name];
  return { credentials, partial, total };
};

const text = (...credentials: CredentialUsage[]) =>
  toTextSummary(toJsonSummary(usageOf(credentials))).split("\n");

test("a line for each row says who used which scope, how often, with how many requests, and the last token", () => {
  const account = {
    ...web,
    kind: "iam_token_account_scoped",
    projectName: null,
  } as const;
  const once = { ...account, tokens: 1, uses: 1, requests: 1, retries: 0 };
  const refused = {
    ...once,
    uses: 0,
    userName: null,
    identityProvider: "github",
    last: null,
  };
  const expired = { ...once, briefUses: 1, last: { ...web.last, remainingMs: 0 } };
  expect(text(web, once, refused, expired).join("\n")).toMatchInlineSnapshot(`
    "iam-tokens: uses: 9 (with less than 1 h left: 1), requests: 8, retries: 3, waited 4938 ms
      user name "deployer", account id "123456", project name "web" at https://k.example/identity/v3: uses: 7, requests: 5, retries: 3, token 0123456789ab valid until 2026-01-03T03:04:05.000Z
      user name "deployer", account id "123456" at https://k.example/identity/v3: uses: 1, requests: 1, retries: 0, token 0123456789ab valid until 2026-01-03T03:04:05.000Z
      identity provider "github", account id "123456" at https://k.example/identity/v3: uses: 0, requests: 1, retries: 0, no token was issued
      user name "deployer", account id "123456" at https://k.example/identity/v3: uses: 1 (with less than 1 h left: 1), requests: 1, retries: 0, token 0123456789ab expired at 2026-01-03T03:04:05.000Z
    "
  `);
  expect(text()).toEqual([""]);
});

test("names are escaped for the terminal, and a thousand rows are a few lines", () => {
  const hostile = text({ ...web, projectName: "\u001b[2Jx\n::warning::y" });
  expect(hostile.join()).not.toContain("\u001b");
  expect(hostile.join()).not.toContain("::warning");
  expect(hostile).toHaveLength(3);
  const many = text(...Array.from({ length: 1_000 }, () => web));
  expect(many).toHaveLength(23);
  expect(many.at(-2)).toBe("  and 980 more: --json FILE has all");
});

test("the form for machines has the provider's names, whole seconds and milliseconds", () => {
  expect(toJsonSummary(usageOf([web], true))).toMatchInlineSnapshot(`
    {
      "credentials": [
        {
          "account_domain_id": null,
          "account_id": "123456",
          "application_credential": null,
          "auth_url": "https://k.example/identity/v3",
          "expires_at": "2026-01-03T03:04:05.000Z",
          "fingerprint": "0123456789ab",
          "header_name": "X-Auth-Token",
          "identity_provider": null,
          "issued_at": "2026-01-02T03:04:05.000Z",
          "kind": "iam_token_project_scoped",
          "project_id": null,
          "project_name": "web",
          "remaining_seconds": 84600,
          "requests": 5,
          "retries": 3,
          "scope": "project",
          "tokens": 2,
          "user_id": null,
          "user_name": "deployer",
          "uses": 7,
          "uses_below_one_hour": 0,
          "waited_ms": 1235,
        },
      ],
      "partial": true,
      "total": {
        "requests": 5,
        "retries": 3,
        "tokens": 2,
        "uses": 7,
        "uses_below_one_hour": 0,
        "waited_ms": 1235,
      },
    }
  `);
});
