import { toJsonSummary, toTextSummary } from "../../../lib/cli/run/summary";
import type { CredentialUsage, Usage } from "../../../lib/identity";

const HOUR = 3_600_000;
const web = {
  authUrl: "https://k.example/identity/v3",
  way: "password",
  accountId: "123456",
  userName: "deployer",
  applicationCredential: null,
  identityProvider: null,
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
} as const satisfies CredentialUsage;
const usageOf = (credentials: readonly CredentialUsage[], partial = false): Usage => {
  const sum = (of: "tokens" | "uses" | "requests" | "retries" | "waitedMs") =>
    credentials.reduce((total, usage) => total + usage[of], 0);
  const total = {
    tokens: sum("tokens"),
    uses: sum("uses"),
    requests: sum("requests"),
    retries: sum("retries"),
    waitedMs: sum("waitedMs"),
  };
  return { credentials, partial, total };
};

test("says who used which scopes, how often, and with how many requests", () => {
  const account = {
    ...web,
    kind: "iam_token_account_scoped",
    projectName: null,
    tokens: 1,
    uses: 1,
    requests: 1,
    retries: 0,
  } as const;
  const other = { ...account, userName: "reader", requests: 2, retries: 1 };
  expect(toTextSummary(usageOf([web, other, account]), false)).toBe(
    [
      "iam-tokens: 2 service users, 3 scopes, 9 uses of tokens, 8 requests to the identity service (4 retries), 4 s of waiting",
      "  deployer in account 123456 at https://k.example/identity/v3",
      "    project web  7 uses, 5 requests (3 retries), 1 s of waiting; 2 tokens, the last 0123456789ab lives until 2026-01-03T03:04:05Z (23 h 30 min left)",
      "    account  1 use, 1 request, 1 s of waiting; token 0123456789ab lives until 2026-01-03T03:04:05Z (23 h 30 min left)",
      "  reader in account 123456 at https://k.example/identity/v3",
      "    account  1 use, 2 requests (1 retry), 1 s of waiting; token 0123456789ab lives until 2026-01-03T03:04:05Z (23 h 30 min left)",
      "",
    ].join("\n"),
  );
});

test.each([
  [
    { way: "application credential", userName: null, applicationCredential: "00f1" },
    "application credential 00f1 in account 123456",
  ],
  [
    { way: "application credential", accountId: null, applicationCredential: "ci", userName: "me" },
    "application credential ci of me",
  ],
  [
    { way: "identity token", userName: null, identityProvider: "github" },
    "identity provider github in account 123456",
  ],
] as const)("names who signed in without a password: %#", (names, who) => {
  const [head, first] = toTextSummary(usageOf([{ ...web, ...names }]), false).split("\n");
  expect(head).toContain("iam-tokens: 1 credential, 1 scope");
  expect(first).toBe(`  ${who} at https://k.example/identity/v3`);
});

test("prints nothing if no token was used", () => {
  expect(toTextSummary(usageOf([]), true)).toBe("");
});

test("includes scopes that were refused, and tokens that have expired", () => {
  const refused = { ...web, tokens: 0, uses: 0, requests: 1, retries: 0, last: null };
  expect(toTextSummary(usageOf([refused]), false)).toContain(
    "    project web  0 uses, 1 request, 1 s of waiting; no token was issued\n",
  );
  const expired = { ...web, tokens: 1, last: { ...web.last, remainingMs: 0 } };
  expect(toTextSummary(usageOf([expired]), false)).toContain("; token 0123456789ab has expired\n");
});

test("escapes names for the terminal, and keeps a thousand scopes to a few lines", () => {
  const hostile = toTextSummary(
    usageOf([{ ...web, projectName: "\u001b[2Jx\n::warning::y" }]),
    false,
  );
  expect(hostile).not.toContain("\u001b");
  expect(hostile.split("\n")).toHaveLength(4);
  const many = toTextSummary(
    usageOf(
      Array.from({ length: 1_000 }, () => web),
      true,
    ),
    false,
  );
  expect(many).toMatch(/^iam-tokens: at least 1 service user, at least 1000 scopes, /);
  expect(many.split("\n")).toHaveLength(24);
  expect(many).toContain("  and at least 980 further scopes\n");
});

test("colours are for terminals", () => {
  expect(toTextSummary(usageOf([web]), false)).not.toContain("\u001b");
  expect(toTextSummary(usageOf([web]), true)).toContain("\u001b[1miam-tokens:");
});

test("the form for machines has the provider's names, whole seconds and milliseconds", () => {
  expect(toJsonSummary(usageOf([web], true))).toEqual({
    credentials: [
      {
        auth_url: "https://k.example/identity/v3",
        account_id: "123456",
        user_name: "deployer",
        application_credential: null,
        identity_provider: null,
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
    partial: true,
    total: { tokens: 2, uses: 7, requests: 5, retries: 3, waited_ms: 1_235 },
  });
});
