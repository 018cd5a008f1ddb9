import { limitsOf } from "../../../lib/identity";
import { interpretSignIn } from "../../../lib/identity/interpret/sign-in-answer";
import type { Outcome } from "../../../lib/identity/transport/transport";
import { parseAuthUrl, type Secret } from "../../../lib/tokens";
import { answer } from "../support/scripted-transport";
import { errorOf, httpDate, NOW } from "../support/wanted";
import { jwt } from "./federated-service";
import { AT, refusedByKeystone } from "./wishes";

const URL_OF_SIGN_IN = `${AT}/identity/v3/OS-FEDERATION/identity_providers/ci/protocols/openid/auth`;

const interpret = (outcome: Outcome, identityToken: Secret = jwt()) =>
  interpretSignIn(outcome, {
    url: URL_OF_SIGN_IN,
    credential: {
      way: "identity token",
      authUrl: parseAuthUrl(AT),
      accountId: "123456",
      identityProvider: "ci",
      protocol: "openid",
      place: "env CI_TOKEN",
      origin: "oidc_token_env of the provider block",
      readToken: async () => identityToken,
    },
    identityToken,
    limits: limitsOf(),
    attempts: "",
  });

async function refusal(outcome: Outcome, identityToken?: Secret) {
  const error = await errorOf(() => interpret(outcome, identityToken));
  expect(error.message).not.toMatch(/CANARY|[^\P{Cc}\n]/u);
  return error;
}

/** As Apache with mod_auth_openidc answers to a token that it does not accept. */
const byApache = answer(
  401,
  {
    Date: httpDate(NOW),
    "WWW-Authenticate":
      'Bearer error="invalid_token", error_description="JWT token could not be validated"',
    "Content-Type": "text/html; charset=iso-8859-1",
  },
  '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><html><h1>Unauthorized</h1></html>',
);

test("a token that has expired is most likely that, by the service's clock", async () => {
  const { problem } = await refusal(byApache, jwt({ exp: NOW / 1_000 - 420 }));
  expect(problem).toContain("expired 7 min ago) for identity provider");
  expect(problem).toContain("causes:\n- Most likely: it has expired:");
});

test("for another audience, or signed by another: the web server says neither, so both are listed", async () => {
  const error = await refusal(byApache, jwt({ aud: ["sts.example", "other"] }));
  expect(error.message).toMatchInlineSnapshot(`
    "https://keystone.example/identity/v3/OS-FEDERATION/identity_providers/ci/protocols/openid/auth answered 401 to the identity token (oidc_token_env of the provider block; iss "https://issuer.example", aud "sts.example, other", sub "repo:acme/web", expires in 5 min) for identity provider "ci", protocol "openid". The service does not say why. Possible causes:
    - The service does not accept its audience (aud): request a token with the audience that the service's operator names.
    - The service does not accept its issuer (iss), or has no key of it that fits the signature.
    - It was changed or cut, or is not an identity token: some CI systems have several kinds.
    Check the possible causes in turn. The request was not repeated. [ERR_CREDENTIALS_REJECTED]"
  `);
});

test.each<[string, Outcome, string]>([
  [
    "Keystone's 401: no such protocol, or no rule",
    refusedByKeystone(401),
    "No rule of its mapping",
  ],
  ["Keystone's 403: another issuer", refusedByKeystone(403), "does not accept this issuer (iss)"],
  [
    "Keystone's 404: no such provider",
    refusedByKeystone(404),
    "There is no identity provider of this",
  ],
  ["a web server's 400", answer(400, {}, "<html>"), "The token is longer than a header"],
  ["a web server's 431", answer(431, {}, "<html>"), "The token is longer than a header"],
])("%s", async (_what, outcome, cause) => {
  const { code, problem, remedy } = await refusal(outcome);
  expect(code).toBe("ERR_CREDENTIALS_REJECTED");
  expect(problem).toContain('identity provider "ci", protocol "openid"');
  expect(problem).toContain(cause);
  expect(remedy).not.toContain("locked");
});

test.each<[string, Outcome, string]>([
  ["a 404 in HTML", answer(404, {}, "<html>"), "ERR_ENDPOINT_NOT_FOUND"],
  ["a redirect to a login page", answer(302), "ERR_REDIRECTED"],
  ["an echo", answer(201, { "X-Subject-Token": jwt().reveal() }), "ERR_TOKEN_HEADER_INVALID"],
  ["no answer", { kind: "fault", fault: "no_answer" }, "ERR_NO_ANSWER"],
])("%s is what it is for every request", async (_name, outcome, code) => {
  expect((await refusal(outcome)).code).toBe(code);
});
