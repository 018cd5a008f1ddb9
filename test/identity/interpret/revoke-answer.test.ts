import { limitsOf } from "../../../lib/identity";
import { interpretRevoke } from "../../../lib/identity/interpret/revoke-answer";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { Secret } from "../../../lib/tokens";
import { answer, fault } from "../support/scripted-transport";
import { errorOf, TOKEN_CANARY } from "../support/wanted";

const URL = "https://keystone.example/v3/auth/tokens";
const interpret = (outcome: Outcome) =>
  interpretRevoke(outcome, URL, Secret.of(TOKEN_CANARY), limitsOf(), " after 2 tries");

const KEYSTONE = { "WWW-Authenticate": 'Keystone uri="https://keystone.example/v3"' };
const inBody = (code: number) => ({ error: { code, message: "…", title: "…" } });

test("204 says that the token is revoked", () => {
  expect(interpret(answer(204))).toBe("revoked");
});

test.each([
  ["401 with its header", answer(401, KEYSTONE)],
  ["401 with its body", answer(401, {}, inBody(401))],
  ["404 with its body", answer(404, {}, inBody(404))],
])("Keystone's %s says that the token was gone", (_, outcome) => {
  expect(interpret(outcome)).toBe("gone");
});

test.each([
  ["401 without a body", answer(401), "ERR_ANSWER_UNEXPECTED"],
  ["401 of a proxy", answer(401, { "WWW-Authenticate": "Basic realm=x" }), "ERR_ANSWER_UNEXPECTED"],
  ["404 of a web server", answer(404, {}, "<h1>Not Found</h1>"), "ERR_ENDPOINT_NOT_FOUND"],
  ["404 with another's body", answer(404, {}, { error: "not found" }), "ERR_ENDPOINT_NOT_FOUND"],
])("%s says nothing about the token", async (_, outcome, code) => {
  expect((await errorOf(() => interpret(outcome))).code).toBe(code);
});

test.each([
  { status: 200, code: "ERR_ANSWER_UNEXPECTED" },
  { status: 302, code: "ERR_REDIRECTED" },
  { status: 403, code: "ERR_REQUEST_REFUSED" },
  { status: 429, code: "ERR_RATE_LIMITED" },
  { status: 503, code: "ERR_SERVICE_FAILED" },
])("$status is $code", async ({ status, code }) => {
  const error = await errorOf(() => interpret(answer(status)));
  expect(error.code).toBe(code);
  expect(error.problem).toBe(`${URL} answered ${status} after 2 tries.`);
});

test("a request id that repeats the token is not printed", async () => {
  const echoed = answer(503, { "x-request-id": `req-${TOKEN_CANARY}` });
  expect((await errorOf(() => interpret(echoed))).problem).toContain("answered 503 after");
});

test("no answer is the fault's error", async () => {
  const error = await errorOf(() => interpret(fault("no_answer")));
  expect(error.code).toBe("ERR_NO_ANSWER");
  expect(error.problem).toContain("keystone.example did not answer");
});
