import { limitsOf } from "../../lib/identity";
import { decideRetry } from "../../lib/identity/retry/policy";
import { type Meaning, meaningOf, toAnswer } from "./meaning";
import { RECORDED_NAMES, readRecorded } from "./recorded-exchange";

/** The table: each recorded answer under its meaning. None of the requests is sent again. */
const ANSWERS_BY_MEANING: Readonly<Partial<Record<Meaning, readonly string[]>>> = {
  // A token as requested. Three of the answers are to requests without a scope, which our client
  // never sends.
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

test("the table names each recorded answer, and no other", () => {
  expect(Object.values(ANSWERS_BY_MEANING).flat().sort()).toEqual([...RECORDED_NAMES].sort());
});

test.each(RECORDED_NAMES)("%s", (name) => {
  const { request, answer } = readRecorded(name);
  const expected = Object.entries(ANSWERS_BY_MEANING).find(([, names]) =>
    names.includes(name),
  )?.[0];
  expect(meaningOf(request, answer)).toBe(expected);
  // None of them is a 429 or a 5xx: nothing is ever asked again.
  const now = { attempt: 1, elapsedMs: 0, random: 0.5 };
  expect(decideRetry(toAnswer(request, answer), now, limitsOf())).toEqual({ again: false });
});
