import type { Credential, IssueRequest, Scope } from "../../../lib/identity";
import type { FederatedCredential } from "../../../lib/identity/credential";
import { parseAuthUrl, Secret } from "../../../lib/tokens";
import { answer } from "../support/scripted";
import { DOMAIN, httpDate, NOW, TOKEN_CANARY } from "../support/wanted";

export const AT = "https://keystone.example";
export const SECRET_CANARY = "CANARY-secret-9b2e";
export const REQUEST_ID = "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01";

type ApplicationCredential = Extract<Credential, { way: "application credential" }>;

/** The project that an application credential has. */
export const OWN: Scope = { kind: "project" };

/** The error of a Keystone: JSON, with its code. */
export const refusedByKeystone = (status: number) =>
  answer(
    status,
    {
      Date: httpDate(NOW),
      "x-openstack-request-id": REQUEST_ID,
      ...(status === 401 && { "WWW-Authenticate": `Keystone uri="${AT}"` }),
    },
    { error: { code: status, message: "\u001b[31mmessage", title: "title" } },
  );

export function applicationCredential(
  over: Partial<ApplicationCredential> = {},
): ApplicationCredential {
  return {
    way: "application credential",
    authUrl: parseAuthUrl(AT),
    secret: Secret.of(SECRET_CANARY),
    by: { id: "0025618d34b349f8975e99bfd66eafc9" },
    ...over,
  };
}

export const byName = applicationCredential({
  by: { name: "pipeline", user: { name: "deployer", domain: DOMAIN } },
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An identity token; what is not a real signature is a canary. */
export const jwt = (claims: Readonly<Record<string, unknown>> = {}, signature = "CANARYsig") =>
  Secret.of(
    `${part({ alg: "RS256" })}.${part({
      iss: "https://issuer.example",
      aud: "keystone",
      sub: "repo:acme/web",
      exp: NOW / 1_000 + 300,
      ...claims,
    })}.${signature}`,
  );

export const federated = (over: Partial<FederatedCredential> = {}): FederatedCredential => ({
  way: "identity token",
  authUrl: parseAuthUrl(AT),
  identityProvider: "ci/1",
  protocol: "openid",
  place: "file /run/token",
  origin: "oidc_token_file of the provider block",
  readToken: async () => jwt(),
  ...over,
});

export const wish = (
  credential: IssueRequest["credential"],
  over: Partial<IssueRequest> = {},
): IssueRequest => ({ credential, scope: OWN, ...over });

/** An answer with a project's token, as a real Keystone gives one to an application credential. */
export const projectToken = (end: string, name = "web", account = "123456") =>
  answer(
    201,
    { "X-Subject-Token": TOKEN_CANARY, Date: httpDate(NOW) },
    {
      token: {
        methods: ["application_credential"],
        user: { domain: { name: account }, name: "deployer" },
        issued_at: new Date(NOW).toISOString(),
        expires_at: end,
        project: { name, domain: { name: account } },
        application_credential: { id: "0025618d34b349f8975e99bfd66eafc9", restricted: true },
      },
    },
  );
