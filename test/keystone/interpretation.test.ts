import { limitsOf } from "../../lib/identity/limits";
import { decideRetry } from "../../lib/identity/retry";
import { type Meaning, meaningOf, toAnswer } from "./meaning";
import { RECORDED_NAMES, readRecorded } from "./recorded-exchange";

/** The table: each recorded answer under its meaning. None of the requests is sent again. */
const ANSWERS_BY_MEANING: Readonly<Partial<Record<Meaning, readonly string[]>>> = {
  // A token as requested. Three of the answers are to requests without a scope, which our client
  // never sends.
  "account token": [
    "account-scoped-nocatalog",
    "account-scoped-success",
    "missing-scope-unscoped",
    "password-unicode-success",
  ],
  "project token": ["project-scoped-success"],
  // A revocation: also of a token that is gone already.
  done: ["revoke-delete", "revoke-delete-twice"],
  // Every 401. Keystone does not say why, and nor can we; what it says of an expired password is
  // its own text, and not repeated.
  ERR_CREDENTIALS_REJECTED: [
    "disabled-user",
    "head-without-token",
    "password-expired-must-change",
    "unknown-method",
    "wrong-password",
  ],
  // The password is right, and not enough.
  ERR_SECOND_FACTOR_REQUIRED: ["second-factor-receipt"],
  // A bug of the client, or a limit.
  ERR_REQUEST_REFUSED: [
    "large-body-200k",
    "malformed-json",
    "missing-auth",
    "patch-method",
    "validate-get-missing-subject",
  ],
  // Every 404, JSON or HTML or plain text.
  ERR_ENDPOINT_NOT_FOUND: ["identity-v3-unknown", "methods-token-invalid", "v3-without-mount"],
  ERR_REDIRECTED: ["root-identity"],
  // No issuing request is answered so.
  ERR_ANSWER_UNEXPECTED: ["identity-v3", "options-method", "validate-get", "validate-head"],
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
  expect(JSON.stringify([request, answer])).not.toMatch(
    /gAAAA|"password": "(?!<password of |wrong)/,
  );
  // None of them is a 429 or a 5xx: nothing is ever asked again.
  const now = { attempt: 1, totalMs: 20_000, elapsedMs: 0, random: 0.5 };
  expect(decideRetry(toAnswer(request, answer), now, limitsOf())).toEqual({});
});
