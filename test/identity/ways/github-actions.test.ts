import { requestFromGitHub } from "../../../lib/identity";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { Secret } from "../../../lib/tokens";
import { answer, fault, type Step, scripted } from "../support/scripted";
import { errorOf, idle } from "../support/wanted";

const BEARER = "CANARY-bearer-5d1a";
const JWT = "CANARYjwt.e30.c2ln";
/** As GitHub's own: two slashes in the path, and a query. */
const URL_OF_JOB = "https://actions.example/143//idtoken/b1c0/9a?api-version=2.0";

/** A job that asks GitHub for identity tokens. */
function job(...steps: readonly Step[]) {
  const { client, transport } = scripted(steps);
  const { services, logins } = client.internals();
  const ask = (audience = "keystone", url = URL_OF_JOB) =>
    requestFromGitHub({ url, bearer: Secret.of(BEARER), audience }, services, logins, idle());
  return { ask, transport };
}

test("asks with the job's secret for the audience, and gives the token", async () => {
  const { ask, transport } = job(answer(200, {}, { count: 1, value: JWT }));
  expect((await ask("a&b c/ü")).reveal()).toBe(JWT);
  expect(transport.sent[0]?.request).toMatchObject({
    method: "GET",
    url: `${URL_OF_JOB}&audience=a%26b+c%2F%C3%BC`,
    headers: { authorization: `Bearer ${BEARER}`, "accept-encoding": "identity" },
  });
});

const NO_VALUE = 'answered 200 without a JSON object that has a "value"';

test.each<[what: string, outcome: Outcome, says: string]>([
  [
    "403 for longer than all tries",
    answer(403, { "Retry-After": "999" }, { message: "CANARY" }),
    "GitHub says so also while a job is still pending.",
  ],
  ["a redirect", answer(302, { location: "https://evil/CANARY" }), "answered 302 to the request"],
  ["a page", answer(200, {}, "<html>CANARY\u001b[31m"), NO_VALUE],
  ["a number", answer(200, {}, { value: 1 }), NO_VALUE],
  ["an empty token", answer(200, {}, { value: "" }), NO_VALUE],
  [
    "the secret of the job",
    answer(200, {}, { value: `a${BEARER}` }),
    "answered 200 with the secret of the request",
  ],
])("an answer with %s is one error, and one request", async (_name, outcome, says) => {
  const { ask, transport } = job(outcome);
  for (const _again of [1, 2]) {
    const error = await errorOf(ask());
    expect(error.code).toBe("ERR_IDENTITY_TOKEN_UNAVAILABLE");
    expect(error.problem).toContain(says);
    expect(error.message).not.toContain("CANARY");
  }
  expect(transport.sent).toHaveLength(1);
  await errorOf(ask("another audience"));
  expect(transport.sent).toHaveLength(2);
});

test.each([429, 500, 503])("a failure of GitHub's own (%i) is not remembered", async (status) => {
  // The wait is too long to try again at once.
  const failure = answer(status, { "Retry-After": "999" });
  const { ask } = job(failure, answer(200, {}, { value: JWT }));
  const error = await errorOf(ask());
  expect(error.message).toContain(`answered ${status} to the request for an identity token`);
  expect(error.message).toContain("Run the job again later. [ERR_IDENTITY_TOKEN_UNAVAILABLE]");
  expect((await ask()).reveal()).toBe(JWT);
});

test("the 403 of a pending job is asked again, for the given audience alone", async () => {
  const { ask, transport } = job(answer(403), answer(200, {}, { value: JWT }));
  expect((await ask("keystone", "https://actions.example/token?audience=x")).reveal()).toBe(JWT);
  expect(transport.sent.map(({ request }) => request.url)).toEqual(
    Array(2).fill("https://actions.example/token?audience=keystone"),
  );
});

test("without an answer, the connection is what failed", async () => {
  expect((await errorOf(job(fault("tls")).ask())).code).toBe("ERR_TLS_FAILED");
});

test.each([
  ["http, not on this machine", "http://actions.example/token?api-version=2.0"],
  ["with userinfo", "https://CANARY:CANARY@actions.example/token"],
])("the secret of the job is not sent to an address that is %s", async (_name, url) => {
  const { ask, transport } = job(fault("tls"));
  const error = await errorOf(ask("keystone", url));
  expect(error.code).toBe("ERR_ADDRESS_INVALID");
  expect(error.problem).toContain("ACTIONS_ID_TOKEN_REQUEST_URL: ");
  expect(error.remedy).toBe("Leave it as GitHub Actions sets it.");
  expect(error.message).not.toContain(BEARER);
  expect(transport.sent).toEqual([]);
});
