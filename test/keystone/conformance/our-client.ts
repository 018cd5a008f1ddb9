import { inspect } from "node:util";
import type { Credential, IssueRequest, Scope } from "../../../lib/identity";
import type { OidcTokenOptions } from "../../../lib/testing";
import { type ErrorCode, parseAuthUrl, Secret } from "../../../lib/tokens";
import { PROJECTS } from "../identity-under-test";
import type { ConformanceCase, ConformanceGroup } from "./case";
import type { ServiceHands } from "./service-hands";

const ACCOUNT: Scope = { kind: "account" };
const PROJECT: Scope = { kind: "project", projectName: PROJECTS.permitted };

const toRequest = (
  { service }: ServiceHands,
  credential: Credential,
  scope: Scope,
): IssueRequest => ({
  credential,
  scope,
  ...(service.ca === undefined ? {} : { tls: { ca: service.ca } }),
});

const federated = (
  service: ServiceHands,
  options: OidcTokenOptions = {},
  place: { readonly identityProvider?: string; readonly protocol?: string } = {},
): Credential => ({
  way: "identity token",
  authUrl: parseAuthUrl(service.service.authUrl),
  accountId: service.service.accountId,
  identityProvider: options.identityProvider ?? "ci",
  protocol: "openid",
  ...place,
  place: "of this case",
  origin: "oidc_token_file of the provider block",
  readToken: async () => Secret.of(service.oidcToken(options)),
});

const byCredential = (
  { service }: ServiceHands,
  { id, secret }: { readonly id: string; readonly secret: string },
): Credential => ({
  way: "application credential",
  authUrl: parseAuthUrl(service.authUrl),
  accountId: service.accountId,
  by: { id },
  secret: Secret.of(secret),
});

async function refusalOf(service: ServiceHands, credential: Credential, scope: Scope) {
  let refusal: unknown;
  await service.withClient(async (client, signal) => {
    refusal = await client.obtain(toRequest(service, credential, scope), signal).then(
      () => undefined,
      (error: unknown) => error,
    );
  });
  expect(inspect(refusal, { depth: 10, showHidden: true })).not.toMatch(/eyJ|canary/);
  return refusal;
}

const FEDERATED: readonly (readonly [
  string,
  OidcTokenOptions,
  { readonly identityProvider?: string; readonly protocol?: string },
  ErrorCode,
  RegExp,
])[] = [
  ["expired", { expiresIn: -420 }, {}, "ERR_CREDENTIALS_REJECTED", /expired 7 min/],
  [
    "of an issuer that is not accepted",
    { iss: "https://elsewhere.example" },
    {},
    "ERR_CREDENTIALS_REJECTED",
    /https:\/\/elsewhere\.example/,
  ],
  [
    "for another audience",
    { identityProvider: "ci-projects", aud: "https://elsewhere.example" },
    {},
    "ERR_CREDENTIALS_REJECTED",
    /https:\/\/elsewhere\.example/,
  ],
  [
    "for an unknown identity provider",
    {},
    { identityProvider: "no-such" },
    "ERR_CREDENTIALS_REJECTED",
    /no-such/,
  ],
  ["for an unknown protocol", {}, { protocol: "no-such" }, "ERR_CREDENTIALS_REJECTED", /no-such/],
];

const cases: readonly ConformanceCase[] = [
  {
    name: "by an application credential: its project's token, and its own end",
    needs: ["users"],
    run: async (service) => {
      const made = await service.credential("ending");
      await service.withClient(async (client, signal) => {
        for (const scope of [PROJECT, { kind: "project" } as const]) {
          const request = toRequest(service, byCredential(service, made), scope);
          const { token, kind, expiresAt } = await client.obtain(request, signal);
          expect([kind, expiresAt]).toEqual(["iam_token_project_scoped", new Date(made.end ?? "")]);
          expect(await service.accepts(token.reveal())).toBe(true);
        }
      });
    },
  },
  ...(
    [
      ["an unknown id", { id: "no-such", secret: "canary-secret" }],
      ["a wrong secret", { secret: "canary-secret" }],
    ] as const
  ).map(
    ([name, changed]): ConformanceCase => ({
      name: `by an application credential with ${name}: one error, and no secret in it`,
      needs: ["users"],
      run: async (service) => {
        const made = await service.credential("usual");
        const credential = byCredential(service, { ...made, ...changed });
        expect(await refusalOf(service, credential, PROJECT)).toMatchObject({
          code: "ERR_CREDENTIALS_REJECTED",
        });
      },
    }),
  ),
  {
    name: "by a password alone, where a second factor is required: an error of its own",
    needs: ["users"],
    run: async (service) => {
      const { credential } = service.issueRequest("svc-second-factor", ACCOUNT);
      expect(await refusalOf(service, credential, ACCOUNT)).toMatchObject({
        code: "ERR_SECOND_FACTOR_REQUIRED",
        message: expect.stringMatching(/requires a second factor/),
      });
    },
  },
  {
    name: "by an identity token: tokens for scopes, which the service accepts",
    needs: ["federation"],
    run: async ({ federated: service }) => {
      await service.withClient(async (client, signal) => {
        const credential = federated(service);
        for (const [scope, kind] of [
          [ACCOUNT, "iam_token_account_scoped"],
          [PROJECT, "iam_token_project_scoped"],
        ] as const) {
          const token = await client.obtain(toRequest(service, credential, scope), signal);
          expect(token.kind).toBe(kind);
          expect(await service.accepts(token.token.reveal())).toBe(true);
        }
      });
    },
  },
  ...FEDERATED.map(
    ([name, options, place, code, words]): ConformanceCase => ({
      name: `by an identity token ${name}: one error that says so`,
      needs: ["federation"],
      run: async ({ federated: service }) => {
        const credential = federated(service, options, place);
        expect(await refusalOf(service, credential, PROJECT)).toMatchObject({
          code,
          message: expect.stringMatching(words),
        });
      },
    }),
  ),
  {
    name: "by an identity token without a permission: one error that says so",
    needs: ["federation"],
    run: async ({ federated: service }) => {
      const credential = federated(service, { identityProvider: "ci-projects" });
      expect(await refusalOf(service, credential, ACCOUNT)).toMatchObject({
        code: "ERR_CREDENTIALS_REJECTED",
        message: expect.stringMatching(/without a role on the account/),
      });
    },
  },
];

/** Our own client, without a password. */
export const OUR_CLIENT: ConformanceGroup = { name: "our client signs in", cases };
