import { limitsOf } from "../../../lib/identity";
import { interpretRevoke } from "../../../lib/identity/interpret/revoke-answer";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { Secret } from "../../../lib/tokens";
import { answer, fault } from "../support/scripted-transport";
import { errorOf, TOKEN_CANARY } from "../support/wanted";

const URL = "https://keystone.example/v3/auth/tokens";
const interpret = (outcome: Outcome) =>
  interpretRevoke(outcome, URL, Secret.of(TOKEN_CANARY), limitsOf(), " after 2 tries");

test.each([204, 401, 404])("%d says that the token is gone", (status) => {
  expect(() => interpret(answer(status))).not.toThrow();
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
