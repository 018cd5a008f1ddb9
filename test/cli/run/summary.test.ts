import { toJsonSummary, toTextSummary } from "../../../lib/cli/run/summary";
import type { CredentialUsage, Usage } from "../../../lib/identity";

const HOUR = 3_600_000;
const web: CredentialUsage = {
  authUrl: "https://k.example/identity/v3",
  accountId: "123456",
  userName: "deployer",
  kind: "iam_token_project_scoped",
  projectName: "web",
  tokens: 2,
  uses: 7,
  requests: 5,
  retries: 3,
  waitedMs: 1_234.5,
  last: {
    fingerprint: "0123456789ab",
    issuedAt: "2026-01-02T03:04:05.000Z",
    expiresAt: "2026-01-03T03:04:05.000Z",
    remainingMs: 23.5 * HOUR,
  },
};
const usageOf = (credentials: readonly CredentialUsage[], untold = 0): Usage => ({
  credentials,
  untold,
  total: {
    tokens: credentials.reduce((sum, { tokens }) => sum + tokens, 0),
    uses: credentials.reduce((sum, { uses }) => sum + uses, 0),
    requests: credentials.reduce((sum, { requests }) => sum + requests, 0),
    retries: credentials.reduce((sum, { retries }) => sum + retries, 0),
    waitedMs: credentials.reduce((sum, { waitedMs }) => sum + waitedMs, 0),
  },
});

test("names for each credential its scope, its tokens and its requests", () => {
  expect(toTextSummary(usageOf([web]), false)).toBe(
    [
      "iam-tokens: 1 credential, 7 uses, 5 requests, 3 of them retries, 1 s waiting for the identity service",
      "  iam_token_project_scoped  project web of account 123456  X-Auth-Token  2 tokens, the last 0123456789ab issued 2026-01-02T03:04:05Z, 23 h 30 min left, 7 uses, 5 requests, 3 of them retries, 1 s waiting",
      "",
    ].join("\n"),
  );
});

test("prints nothing if no token was used", () => {
  expect(toTextSummary(usageOf([]), true)).toBe("");
});

test("includes credentials that were refused", () => {
  const refused = { ...web, tokens: 0, uses: 0, requests: 1, retries: 0, last: null };
  expect(toTextSummary(usageOf([refused]), false)).toMatch(
    /X-Auth-Token {2}no token was issued, 0 uses, 1 request, /,
  );
});

test("names users and services if there are several, and not if there is one", () => {
  const account = { ...web, kind: "iam_token_account_scoped", projectName: null } as const;
  expect(toTextSummary(usageOf([web, account]), false)).not.toContain("deployer");
  const text = toTextSummary(usageOf([web, { ...account, userName: "other" }]), false);
  expect(text).toContain("account 123456, other at https://k.example/identity/v3");
});

test("escapes names for the terminal, and keeps a thousand credentials to a few lines", () => {
  const hostile = toTextSummary(
    usageOf([{ ...web, projectName: "\u001b[2Jx\n::warning::y" }]),
    false,
  );
  expect(hostile).not.toContain("\u001b");
  expect(hostile.split("\n")).toHaveLength(3);
  const many = toTextSummary(
    usageOf(
      Array.from({ length: 1_000 }, () => web),
      5,
    ),
    false,
  );
  expect(many.split("\n")).toHaveLength(23);
  expect(many).toContain("  and 985 further credentials\n");
});

test("colours are for terminals", () => {
  expect(toTextSummary(usageOf([web]), false)).not.toContain("\u001b");
  expect(toTextSummary(usageOf([web]), true)).toContain("\u001b[1miam-tokens:");
});

test("the form for machines has the provider's names, whole seconds and milliseconds", () => {
  expect(toJsonSummary(usageOf([web], 1))).toEqual({
    credentials: [
      {
        auth_url: "https://k.example/identity/v3",
        account_id: "123456",
        user_name: "deployer",
        kind: "iam_token_project_scoped",
        scope: "project",
        project_name: "web",
        header_name: "X-Auth-Token",
        fingerprint: "0123456789ab",
        issued_at: "2026-01-02T03:04:05.000Z",
        expires_at: "2026-01-03T03:04:05.000Z",
        remaining_seconds: 84_600,
        tokens: 2,
        uses: 7,
        requests: 5,
        retries: 3,
        waited_ms: 1_235,
      },
    ],
    untold_credentials: 1,
    total: { tokens: 2, uses: 7, requests: 5, retries: 3, waited_ms: 1_235 },
  });
});
