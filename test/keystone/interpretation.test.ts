import { inspect } from "node:util";
import type { Answer, Credential, Scope } from "../../lib/identity";
import { limitsOf } from "../../lib/identity";
import { interpretIssue } from "../../lib/identity/interpret/issue-answer";
import { interpretRevoke } from "../../lib/identity/interpret/revoke-answer";
import { decideRetry } from "../../lib/identity/retry/policy";
import { type ErrorCode, IamTokensError, parseAuthUrl, Secret } from "../../lib/tokens";
import { RECORDED_NAMES, type RecordedExchange, readRecorded } from "./recorded-exchange";

/** What our client makes of an answer. */
type Meaning = "account token" | "project token" | "done" | ErrorCode;

/** The table: each recorded answer under what it means. None of them is asked again. */
const ANSWERS_BY_MEANING: Readonly<Partial<Record<Meaning, readonly string[]>>> = {
  // A token, as it was asked for. Three of the answers are to requests without a scope, which our
  // client never sends.
  "account token": [
    "accept-gzip",
    "accept-xml",
    "account-scoped-nocatalog",
    "account-scoped-success",
    "chunked-request",
    "client-request-id",
    "content-type-charset",
    "content-type-missing",
    "double-slash",
    "large-body-110k",
    "missing-scope-unscoped",
    "password-unicode-ascii-escaped-success",
    "password-unicode-success",
    "post-with-bad-x-auth-token",
    "post-with-x-auth-token",
    "right-password-after-eleven-wrong",
    "scope-string-unscoped",
    "scope-unscoped-explicit",
    "trailing-slash",
  ],
  "project token": [
    "project-scoped-success",
    "project-scoped-success-projects-only-user",
    "rescope-token-to-project",
  ],
  // A revocation: also of a token that is gone already.
  done: ["revoke-delete", "revoke-delete-twice", "revoke-other-own-token", "revoke-without-token"],
  // Every 401. Keystone does not say why, and nor can we; what it says of an expired password is
  // its own text, and not repeated.
  ERR_CREDENTIALS_REJECTED: [
    "accept-language-de",
    "account-without-permission",
    "bad-host-header",
    "disabled-user",
    "disabled-user-wrong-password",
    "eleventh-wrong-password",
    "empty-methods",
    "get-with-bad-token",
    "get-without-token",
    "head-without-token",
    "large-password-5000",
    "large-user-name-300",
    "other-scope-account",
    "password-empty",
    "password-expired-must-change",
    "password-missing",
    "project-without-permission",
    "scope-system-without-permission",
    "unknown-account",
    "unknown-method",
    "unknown-project",
    "unknown-scope-account",
    "unknown-user",
    "user-name-case",
    "validate-get-after-revoke",
    "validate-head-after-revoke",
    "wrong-password",
  ],
  // A bug of the client, or a limit.
  ERR_REQUEST_REFUSED: [
    "content-type-form",
    "content-type-text",
    "empty-body",
    "json-array",
    "json-null",
    "large-body-200k",
    "large-body-200k-chunked",
    "large-body-5m",
    "malformed-json",
    "malformed-json-trailing",
    "missing-auth",
    "missing-identity",
    "missing-methods",
    "password-latin1-bytes",
    "password-null",
    "password-number",
    "patch-method",
    "put-method",
    "scope-both",
    "scope-domain-name-number",
    "scope-empty-object",
    "scope-project-without-domain",
    "user-without-domain",
    "validate-get-missing-subject",
    "validate-other-users-token",
  ],
  // Every 404, JSON or HTML or plain text.
  ERR_ENDPOINT_NOT_FOUND: [
    "identity-v2",
    "identity-v3-unknown",
    "methods-token-invalid",
    "root-slash",
    "v3-without-mount",
    "validate-get-bad-subject",
    "validate-revoked-by-live",
  ],
  ERR_REDIRECTED: ["root-identity", "root-identity-slash"],
  // No issuing request is answered so.
  ERR_ANSWER_UNEXPECTED: [
    "identity-v3",
    "identity-v3-slash",
    "options-method",
    "validate-get",
    "validate-head",
    "validate-sibling-after-revoke",
  ],
};

const limits = limitsOf();
const PASSWORD = "canary-password";

test("the table names each recorded answer, and no other", () => {
  expect(Object.values(ANSWERS_BY_MEANING).flat().sort()).toEqual([...RECORDED_NAMES].sort());
});

test.each(RECORDED_NAMES)("%s", (name) => {
  const recorded = readRecorded(name);
  const answer = toAnswer(recorded);
  const expected = Object.entries(ANSWERS_BY_MEANING).find(([, names]) =>
    names.includes(name),
  )?.[0];
  expect(meaningOf(recorded, answer)).toBe(expected);
  // None of them is a 429 or a 5xx: nothing is ever asked again.
  expect(decideRetry(answer, { attempt: 1, elapsedMs: 0, random: 0.5 }, limits)).toEqual({
    again: false,
  });
});

/** As the transport would have handed it over. */
function toAnswer({ answer, request }: RecordedExchange): Answer {
  const headers = answer.headers.map(([name, value]): readonly [string, string] => {
    const length = /^<token: (\d+) chars>$/.exec(value)?.[1];
    return [name, length === undefined ? value : "t".repeat(Number(length))];
  });
  const date = headers.find(([name]) => name === "Date")?.[1] ?? "";
  const body = Buffer.from(request.method === "HEAD" ? "" : answer.body);
  return {
    kind: "answer",
    status: answer.status,
    headers,
    body,
    end: "complete",
    receivedAt: Date.parse(date),
  };
}

function meaningOf(recorded: RecordedExchange, answer: Answer): Meaning {
  try {
    if (recorded.request.method === "DELETE") {
      interpretRevoke(
        answer,
        "http://127.0.0.1/identity/v3/auth/tokens",
        Secret.of(PASSWORD),
        limits,
        "",
      );
      return "done";
    }
    const { issued } = interpretIssue(answer, { ...askedBy(recorded), limits, told: "" });
    expect(issued.requestId).toMatch(/^req-/);
    expect(issued.warnings).toEqual([]);
    expect(issued.remainingMs).toBe(24 * 3_600_000);
    return issued.kind === "iam_token_account_scoped" ? "account token" : "project token";
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(PASSWORD);
    return error.code;
  }
}

/** Who asked for what; where the request does not say so, as the most usual one would have. */
function askedBy({ request }: RecordedExchange): {
  readonly credential: Credential;
  readonly scope: Scope;
} {
  const text = (pattern: RegExp) => pattern.exec(request.body)?.[1];
  const projectName = text(/"scope": \{"project": \{"name": "([^"]+)"/);
  return {
    credential: {
      authUrl: parseAuthUrl("http://127.0.0.1"),
      accountId: text(/"user": \{"name": "[^"]+", "domain": \{"name": "([^"]+)"/) ?? "123456",
      userName: text(/"user": \{"name": "([^"]+)"/) ?? "svc",
      password: Secret.of(PASSWORD),
    },
    scope: projectName === undefined ? { kind: "account" } : { kind: "project", projectName },
  };
}
