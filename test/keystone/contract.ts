import { inspect } from "node:util";
import {
  type Credential,
  type Domain,
  IdentityClient,
  type Scope,
  type User,
} from "../../lib/identity";
import type { OidcTokenOptions } from "../../lib/testing";
import { type ErrorCode, IamTokensError, KIND_OF_SCOPE, Secret } from "../../lib/tokens";
import { ACCOUNT, DOMAIN, idle, project } from "../identity/support/wanted";
import { answersSuite } from "./answers-contract";
import {
  at,
  credential,
  type IdentityUnderTest,
  PROJECTS,
  password,
  tlsOf,
} from "./identity-under-test";
import { accepts, signIn } from "./plain-request";

/** What our client needs of an identity service: who asks for what, and what comes of it. */
interface Row {
  readonly name: string;
  readonly as: (service: IdentityUnderTest) => Promise<Credential>;
  readonly scope: Scope;
  /** A token, which the service accepts until it is revoked; or an error, by its code. */
  readonly gives: "token" | ErrorCode;
  /** A part of the error's message. */
  readonly says?: RegExp;
}

const SVC: User = { name: "svc", domain: DOMAIN };
const PROJECT = project(PROJECTS.permitted);
const OTHER = project(PROJECTS.other);
const NO_PROJECT = project("no-such");
const OWN_PROJECT: Scope = { kind: "project" };
const REJECTED = "ERR_CREDENTIALS_REJECTED";
const ELSEWHERE = "https://elsewhere.example";

/** In rows, the ids of `svc`, its account and its project, which differ between services. */
type Ids = Readonly<Record<"$user" | "$account" | "$project", string>>;
const [USER_ID, ACCOUNT_ID, PROJECT_ID] = ["$user", "$account", "$project"];

const filled = <Value>(value: Value, ids: Ids): Value =>
  JSON.parse(JSON.stringify(value), (_, each) => ids[each as keyof Ids] ?? each);

async function idsOf(service: IdentityUnderTest): Promise<Ids> {
  const scope = { project: { name: PROJECTS.permitted, domain: DOMAIN } };
  const password = { user: { ...SVC, password: service.passwordOf("svc") } };
  const { body } = await signIn(service, { identity: { methods: ["password"], password }, scope });
  const { user, project } = JSON.parse(body).token;
  const { id, domain } = project;
  return { $user: user.id, $account: domain.id, $project: id };
}

const federated =
  (claims: OidcTokenOptions = {}, place: { identityProvider?: string; protocol?: string } = {}) =>
  async (service: IdentityUnderTest): Promise<Credential> => ({
    ...at({ authUrl: service.federation?.authUrl ?? "" }),
    way: "identity token",
    identityProvider: claims.identityProvider ?? "ci",
    protocol: "openid",
    ...place,
    place: "of this row",
    origin: "oidc_token_file of the provider block",
    readToken: async () => Secret.of(service.federation?.oidcToken(claims) ?? ""),
  });
const ofProjects = (claims: OidcTokenOptions = {}) =>
  federated({ identityProvider: "ci-projects", ...claims });

type Cells = readonly [
  name: string,
  as: Row["as"],
  scope: Scope,
  gives: Row["gives"],
  says?: RegExp,
];

const USERS: readonly Cells[] = [
  ["a user: the account", password("svc"), ACCOUNT, "token"],
  ["a user: a project", password("svc"), PROJECT, "token"],
  ["a user with a project alone: that one", password("svc-projects-only"), PROJECT, "token"],
  ["a user with a project alone: another", password("svc-projects-only"), OTHER, REJECTED],
  ["a user with a project alone: the account", password("svc-projects-only"), ACCOUNT, REJECTED],
  ["a user without permissions", password("svc-no-permission"), PROJECT, REJECTED],
  ["a name and a password beyond ASCII", password("svc-ünïcode-用户"), ACCOUNT, "token"],
  ["a wrong password", password("svc", { secret: "canary" }), ACCOUNT, REJECTED],
  ["an unknown user", password("no-such", { secret: "canary" }), ACCOUNT, REJECTED],
  ["a disabled user", password("svc-disabled"), ACCOUNT, REJECTED],
  ["an unknown project", password("svc"), NO_PROJECT, REJECTED],
  ["an unknown account", password("svc", { domain: { name: "7" } }), ACCOUNT, REJECTED],
];

const projectById = (id: string): Scope => ({ kind: "project", project: { id } });
const accountById = (id: string): Scope => ({ kind: "account", account: { id } });
const BY_DOMAIN_ID: Scope = {
  kind: "project",
  project: { name: PROJECTS.permitted, domain: { id: ACCOUNT_ID } },
};
const MINE = projectById(PROJECT_ID);
const SVC_BY_ID = password("svc", { id: USER_ID });
const ABROAD: Domain = { name: "654321" };
const PARTNER = password("partner", { domain: ABROAD });

const REFERENCES: readonly Cells[] = [
  ["a project by its id", password("svc"), MINE, "token"],
  ["user and project by id", SVC_BY_ID, MINE, "token"],
  ["user and account by id", SVC_BY_ID, accountById(ACCOUNT_ID), "token"],
  ["domains by id", password("svc", { domain: { id: ACCOUNT_ID } }), BY_DOMAIN_ID, "token"],
  ["a user of another account: a project", PARTNER, PROJECT, "token"],
  ["a user of another account: this account", PARTNER, ACCOUNT, "token"],
  ["a user of another account: a project by id", PARTNER, MINE, "token"],
  [
    "a user of another account: that account",
    PARTNER,
    { kind: "account", account: ABROAD },
    REJECTED,
  ],
  ["a user in the wrong account", password("partner"), PROJECT, REJECTED],
  [
    "a user's name as an id",
    password("svc", { id: "svc" }),
    PROJECT,
    REJECTED,
    /user's name or id is wrong/,
  ],
  ["a project's name as an id", password("svc"), projectById(PROJECTS.permitted), REJECTED],
  ["an account's name as an id", password("svc"), accountById("123456"), REJECTED, /not its id/],
  ["the account's id for a project", password("svc"), projectById(ACCOUNT_ID), REJECTED],
];

const ENDING = credential("ending");
const CREDENTIALS: readonly Cells[] = [
  ["an application credential", credential("usual"), PROJECT, "token"],
  ["by its name and user", credential("usual", {}, SVC), PROJECT, "token"],
  ["by its name and its user's id", credential("usual", {}, { id: USER_ID }), PROJECT, "token"],
  ["for its own project, without a name", credential("usual"), OWN_PROJECT, "token"],
  ["one with an end", ENDING, PROJECT, "token"],
  ["one that has ended", credential("ended"), PROJECT, REJECTED],
  ["for another project", credential("usual"), OTHER, "ERR_SCOPE_MISMATCH"],
  ["an unknown one", credential("usual", { id: "no-such" }), PROJECT, REJECTED],
  ["an unknown name", credential("usual", { name: "no-such" }, SVC), PROJECT, REJECTED],
  ["a wrong secret", credential("usual", { secret: "canary" }), PROJECT, REJECTED],
];

const IDENTITY_TOKENS: readonly Cells[] = [
  ["an identity token: the account", federated(), ACCOUNT, "token"],
  ["an identity token: a project", federated(), PROJECT, "token"],
  ["one with the audience", ofProjects(), PROJECT, "token"],
  ["without a permission", ofProjects(), ACCOUNT, REJECTED, /without a role/],
  ["an expired one", federated({ expiresIn: -420 }), PROJECT, REJECTED, /expired 7 min/],
  ["of another issuer", federated({ iss: ELSEWHERE }), PROJECT, REJECTED, /elsewhere/],
  ["for another audience", ofProjects({ aud: ELSEWHERE }), PROJECT, REJECTED, /elsewhere/],
  [
    "for an unknown provider",
    federated({}, { identityProvider: "no-such" }),
    PROJECT,
    REJECTED,
    /no-such/,
  ],
  ["for an unknown protocol", federated({}, { protocol: "no-such" }), PROJECT, REJECTED, /no-such/],
];

const toRow = ([name, as, scope, gives, says = /./]: Cells) => ({ name, as, scope, gives, says });

/**
 * Runs the rows against a service, and stops it when all tests around are done. To be called inside
 * of a `describe`.
 */
export function contractSuite(
  start: () => Promise<IdentityUnderTest>,
  { federation }: { readonly federation: boolean },
): void {
  let service: IdentityUnderTest;
  let ids: Ids;
  const client = new IdentityClient();
  const signal = idle();
  beforeAll(async () => {
    service = await start();
    ids = await idsOf(service);
  }, 700_000);
  afterAll(async () => {
    await client.close();
    await service?.stop();
  }, 60_000);

  answersSuite(() => service);

  const rows = [
    ...USERS,
    ...REFERENCES,
    ...CREDENTIALS,
    ...(federation ? IDENTITY_TOKENS : []),
  ].map(toRow);
  test.each(rows)("$name: $gives", async ({ as, scope: given, gives, says }) => {
    const scope = filled(given, ids);
    const made = await as(service);
    const asked =
      made.way === "password"
        ? { ...made, user: filled(made.user, ids) }
        : made.way === "application credential"
          ? { ...made, by: filled(made.by, ids) }
          : made;
    const tls = tlsOf(service);
    const outcome = await client
      .issueOwn({ credential: asked, scope, ...tls }, signal)
      .catch((error: unknown) => error as IamTokensError);
    if (IamTokensError.is(outcome)) {
      expect(outcome).toMatchObject({ code: gives, message: expect.stringMatching(says) });
      expect(inspect(outcome, { depth: 10, showHidden: true })).not.toMatch(/eyJ|gAAAA|canary/);
      return;
    }
    expect(gives).toBe("token");
    const { token, kind, expiresAt, projectId } = outcome;
    expect(projectId).toBe(scope.kind === "account" ? undefined : ids.$project);
    expect(kind).toBe(KIND_OF_SCOPE[scope.kind]);
    const hours = (expiresAt.getTime() - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(as === ENDING ? 1 : 24);
    expect(await accepts(service, token)).toBe(true);
    const { authUrl } = asked;
    expect(await client.validate({ authUrl, token, ...tls }, signal)).toBe("alive");
    await client.revoke({ authUrl, token, ...tls }, signal);
    expect(await client.validate({ authUrl, token, ...tls }, signal)).toBe("refused");
    expect(await accepts(service, token)).toBe(false);
    // One that is gone already is no error.
    await client.revoke({ authUrl, token, ...tls }, signal);
  });
}
