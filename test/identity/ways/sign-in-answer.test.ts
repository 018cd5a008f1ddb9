import { interpretSignIn } from "../../../lib/identity/interpret/sign-in-answer";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { answer, exchanged } from "../support/scripted";
import { errorOf, HOUR, httpDate, NOW } from "../support/wanted";
import { federated, jwt, refusedByKeystone } from "./wishes";

async function refusal(outcome: Outcome, secret = jwt()) {
  const error = await errorOf(() => interpretSignIn(exchanged(outcome, { secret }), federated()));
  expect(error.message).not.toMatch(/CANARY|[^\P{Cc}\n]/u);
  return error;
}

/** A page, as Apache with mod_auth_openidc answers to a token that it does not accept. */
const page = (status: number, date = NOW) =>
  answer(
    status,
    { Date: httpDate(date), "WWW-Authenticate": 'Bearer error="invalid_token"' },
    "<html><h1>Unauthorized</h1></html>",
  );

const EXPIRED = "Most likely: it has expired";
// The web server does not say which it is.
const BY_SERVER = ["its audience (aud)", "its issuer (iss)", "It was changed or cut"];
const TOO_LONG = "The token is longer than a header";

test.each<[string, Outcome, causes: readonly string[], says?: string, exp?: number]>([
  ["a web server's 401", page(401), BY_SERVER, "expires in 5 min"],
  ["of an end at this second", page(401), [EXPIRED, ...BY_SERVER], "", NOW],
  [
    "by the service's clock",
    page(401, NOW - HOUR),
    [EXPIRED, ...BY_SERVER],
    "expired 7 min ago",
    NOW - HOUR - 420_000,
  ],
  ["without a clock", answer(401), BY_SERVER, "expires in 5 min"],
  ["without an end", page(401), BY_SERVER, 'sub "repo:acme/web")', Number.NaN],
  [
    "Keystone's 401: no such protocol, or no rule",
    refusedByKeystone(401),
    ["no protocol of this name", "No rule of its mapping", "The web server at this address"],
  ],
  ["Keystone's 403", refusedByKeystone(403), ["does not accept this issuer (iss)"]],
  [
    "Keystone's 404",
    refusedByKeystone(404),
    ["There is no identity provider of this", "Or the address is wrong"],
  ],
  ["a web server's 400", page(400), [TOO_LONG]],
  ["a web server's 431", page(431), [TOO_LONG]],
])("%s", async (_what, outcome, causes, says = "", exp = NOW + 300_000) => {
  const claims = Number.isNaN(exp) ? { exp: undefined } : { exp: exp / 1_000 };
  const { code, problem, headline } = await refusal(outcome, jwt(claims));
  expect(code).toBe("ERR_CREDENTIALS_REJECTED");
  const [fact, ...listed] = problem.trimEnd().split("\n");
  expect(fact).toContain(says);
  expect(fact).toContain('for identity provider "ci/1", protocol "openid". The service does not');
  expect(listed).toEqual(causes.map((cause) => expect.stringContaining(cause)));
  const { status } = outcome as { status: number };
  expect(headline).toBe(`The service answered ${status} to the identity token.`);
});

test.each<[string, Outcome, string]>([
  ["a 404 in HTML", page(404), "ERR_ENDPOINT_NOT_FOUND"],
  ["a redirect to a login page", answer(302), "ERR_REDIRECTED"],
  ["an echo", answer(201, { "X-Subject-Token": jwt().reveal() }), "ERR_TOKEN_HEADER_INVALID"],
  ["no answer", { kind: "fault", fault: "no_answer" }, "ERR_NO_ANSWER"],
])("%s is what it is for every request", async (_name, outcome, code) => {
  expect((await refusal(outcome)).code).toBe(code);
});
