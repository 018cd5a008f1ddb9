import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CtyObject } from "../../lib/plugin/cty/value";
import type { Diagnostic } from "../../lib/plugin/provider";
import { validateProviderBlock } from "../../lib/provider/credentials/provider-block";
import { createIamProvider } from "../../lib/provider/iam-provider";
import { EmbeddedIdentityService } from "../../lib/testing";
import { signJwt } from "../../lib/testing/keystone/federation";
import { makeScratch, type Scratch } from "../support/scratch";
import { contextOf, sessionOf, surroundingsOf } from "./fixtures";

const PASSWORD = "canary-password-7c1f";
const SECRET = "canary-secret-51ab";
const OTHER = "canary-other-e07d";
const AUDIENCE = "https://cloud.example";
const RECEIPT_HEADERS = [
  ["Openstack-Auth-Receipt", "receipt"],
  ["x-openstack-request-id", "req-775f648d-6f34-46a6-a287-106861cf791f"],
] as const;
const RECEIPT = JSON.stringify({
  receipt: { methods: ["password"] },
  required_auth_methods: [["password", "totp"]],
});

let identity: EmbeddedIdentityService;
let scratch: Scratch;
beforeAll(async () => {
  identity = await EmbeddedIdentityService.start(
    {
      accountId: "123456",
      serviceUsers: [
        { name: "deployer", password: PASSWORD, permission: { account: true, projects: ["web"] } },
        { name: "person", password: PASSWORD, permission: { account: true } },
      ],
      applicationCredentials: [
        { id: "a1", name: "ci", user: "deployer", project: "web", secret: SECRET },
      ],
      identityProviders: [
        { id: "ci", audience: AUDIENCE, permission: { projects: ["web"] } },
        { id: "other", issuer: "https://other.example" },
      ],
    },
    // As Keystone answers it to the right password (test/keystone/recorded).
    {
      intercept: ({ body }, serve) => {
        const answer = serve();
        if (!body.includes('"person"')) return answer;
        return { status: 401, headers: RECEIPT_HEADERS, body: RECEIPT };
      },
    },
  );
});
afterAll(() => identity.stop());
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => {
  scratch.remove();
  jest.restoreAllMocks();
});

// By its name: a long path would leave the message no headline.
const command = ["node", "command.cjs"];
const PRINTS_PASSWORD = `console.log("${PASSWORD}")`;
const foreignKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

/** Parts of a provider block, without the address. */
const BY_PASSWORD = { account_id: "123456", user_name: "deployer", password_env: "PW" };
const BY_COMMAND = { account_id: "123456", user_name: "deployer", password_command: command };
const BY_ID = { application_credential_id: "a1", application_credential_secret_env: "AC" };
const BY_NAME = {
  account_id: "123456",
  user_name: "deployer",
  application_credential_name: "ci",
  application_credential_secret_env: "AC",
};
const BY_TOKEN = {
  account_id: "123456",
  identity_provider: "ci",
  protocol: "openid",
  oidc_token_file: "jwt",
};
const { oidc_token_file: _, ...WITHOUT_TOKEN } = BY_TOKEN;
const BY_AUDIENCE = { ...WITHOUT_TOKEN, oidc_audience: AUDIENCE };
const { password_env: __, ...WITHOUT_PASSWORD } = BY_PASSWORD;

/** An input, and what is right again in the end. */
interface Mistake {
  /** The provider block, without the address. */
  readonly block: CtyObject;
  /** Default: the same block, with another JWT or another program. */
  readonly right?: CtyObject;
  readonly scope?: "account";
  readonly variables?: Readonly<Record<string, string>>;
  readonly jwt?: () => string;
  readonly script?: string;
  /** An entry of clouds.yaml. */
  readonly cloud?: CtyObject;
}

const oidc = (options: Parameters<EmbeddedIdentityService["oidcToken"]>[0] = {}) =>
  identity.oidcToken({ sub: "repo:example/shop", ...options });

const MISTAKES: readonly (readonly [input: string, requests: number, Mistake])[] = [
  // Half a way, two ways, a way and a half.
  [
    "an application credential's id without its secret",
    0,
    { block: { application_credential_id: "a1" }, right: BY_ID },
  ],
  [
    "half a way, whose other half is in the environment",
    0,
    {
      block: { application_credential_id: "a1" },
      variables: { OS_APPLICATION_CREDENTIAL_SECRET: OTHER },
      right: BY_ID,
    },
  ],
  [
    "an application credential's name without its user",
    0,
    { block: { ...BY_NAME, user_name: null }, right: BY_NAME },
  ],
  [
    "an identity provider without protocol and identity token",
    0,
    { block: { account_id: "123456", identity_provider: "ci" }, right: BY_TOKEN },
  ],
  [
    "a password and an application credential",
    0,
    { block: { ...BY_PASSWORD, ...BY_ID }, right: BY_ID },
  ],
  [
    "an application credential and an identity token",
    0,
    { block: { ...BY_ID, ...BY_TOKEN }, right: BY_TOKEN },
  ],
  [
    "a password, and an application credential without its secret",
    0,
    { block: { ...BY_PASSWORD, application_credential_id: "a1" }, right: BY_PASSWORD },
  ],
  [
    "an identity token, and a user",
    0,
    { block: { ...BY_TOKEN, user_name: "deployer" }, right: BY_TOKEN },
  ],
  [
    "an application credential with a password for its secret",
    0,
    { block: { application_credential_id: "a1", password_env: "PW" }, right: BY_ID },
  ],
  [
    "an identity provider with an application credential's secret",
    0,
    { block: { ...WITHOUT_TOKEN, application_credential_secret_env: "AC" }, right: BY_TOKEN },
  ],
  [
    "an identity token from two places",
    0,
    { block: { ...BY_TOKEN, oidc_audience: AUDIENCE }, right: BY_TOKEN },
  ],
  ["a cloud, and parts of a way", 0, { block: { ...BY_ID, cloud: "prod" }, right: BY_ID }],
  // clouds.yaml and the environment.
  [
    "clouds.yaml with a password and an application credential",
    0,
    {
      block: { cloud: "prod" },
      cloud: {
        auth: {
          username: "deployer",
          password: PASSWORD,
          user_domain_name: "123456",
          application_credential_id: "a1",
          application_credential_secret: SECRET,
        },
      },
      right: BY_ID,
    },
  ],
  [
    "clouds.yaml of an application credential, of type password",
    0,
    {
      block: { cloud: "prod" },
      cloud: {
        auth_type: "v3password",
        auth: { application_credential_id: "a1", application_credential_secret: SECRET },
      },
      right: BY_ID,
    },
  ],
  [
    "clouds.yaml with a part of another way",
    0,
    {
      block: { cloud: "prod" },
      cloud: {
        auth_type: "v3oidcaccesstoken",
        auth: {
          identity_provider: "ci",
          protocol: "openid",
          access_token: OTHER,
          project_domain_name: "123456",
          application_credential_id: "a1",
        },
      },
      right: BY_TOKEN,
    },
  ],
  [
    "clouds.yaml with half a way",
    0,
    {
      block: { cloud: "prod" },
      cloud: { auth: { application_credential_id: "a1" } },
      right: BY_ID,
    },
  ],
  [
    "the environment with a password and an application credential",
    0,
    {
      block: { auth_url: null },
      variables: {
        OS_AUTH_URL: "http://127.0.0.1:1",
        OS_PASSWORD: OTHER,
        OS_APPLICATION_CREDENTIAL_ID: "a1",
        OS_APPLICATION_CREDENTIAL_SECRET: SECRET,
      },
      right: BY_ID,
    },
  ],
  [
    "the environment, which asks for a second factor",
    0,
    {
      block: { auth_url: null },
      variables: {
        OS_AUTH_URL: "http://127.0.0.1:1",
        OS_USERNAME: "deployer",
        OS_PASSWORD: OTHER,
        OS_PASSCODE: "123456",
        OS_USER_DOMAIN_NAME: "123456",
      },
      right: BY_ID,
    },
  ],
  // Application credentials.
  ["an application credential with an account scope", 0, { block: BY_ID, scope: "account" }],
  [
    "an application credential with an id that does not exist",
    1,
    { block: { ...BY_ID, application_credential_id: "b2" }, right: BY_ID },
  ],
  [
    "an application credential with a name that does not exist",
    1,
    { block: { ...BY_NAME, application_credential_name: "cd" }, right: BY_NAME },
  ],
  [
    "an application credential of a user that does not exist",
    1,
    { block: { ...BY_NAME, user_name: "deploy" }, right: BY_NAME },
  ],
  [
    "an application credential with a wrong secret",
    1,
    { block: { ...BY_ID, application_credential_secret_env: "OTHER" }, right: BY_ID },
  ],
  [
    "an application credential of another account",
    2,
    { block: { ...BY_ID, account_id: "654321" }, right: BY_ID },
  ],
  [
    "an application credential whose secret's variable is not set",
    0,
    { block: { ...BY_ID, application_credential_secret_env: "APP_SECRET" }, right: BY_ID },
  ],
  // Identity tokens.
  [
    "a JWT that is cut after its claims",
    0,
    { block: BY_TOKEN, jwt: () => oidc().split(".").slice(0, 2).join(".") },
  ],
  ["a JWT that is cut in its signature", 1, { block: BY_TOKEN, jwt: () => oidc().slice(0, -20) }],
  ["a JWT in two lines", 0, { block: BY_TOKEN, jwt: () => oidc().replace(".", "\n.") }],
  [
    "a JWT that another has signed",
    1,
    { block: BY_TOKEN, jwt: () => signJwt(claims(), foreignKey(), "throw-away") },
  ],
  [
    "a JWT of another issuer",
    1,
    { block: BY_TOKEN, jwt: () => oidc({ identityProvider: "other" }) },
  ],
  ["a JWT that has expired", 1, { block: BY_TOKEN, jwt: () => oidc({ expiresIn: -420 }) }],
  [
    "a JWT for another audience",
    1,
    { block: BY_TOKEN, jwt: () => oidc({ aud: "https://else.example" }) },
  ],
  [
    "a JWT of 100 kB",
    0,
    { block: BY_TOKEN, jwt: () => oidc({ claims: { pad: "x".repeat(75_000) } }) },
  ],
  [
    "a JWT that is longer than the web server's limit",
    1,
    { block: BY_TOKEN, jwt: () => oidc({ claims: { pad: "x".repeat(7_500) } }) },
  ],
  [
    "a JWT with terminal escapes and a CI command in its claims",
    1,
    {
      block: BY_TOKEN,
      jwt: () =>
        oidc({
          sub: "\u001b[2J\u001b]0;x\u0007\n::error::x",
          aud: "\u009b31m\u202e",
          expiresIn: -60,
        }),
    },
  ],
  ["no JWT: the application credential's secret", 0, { block: BY_TOKEN, jwt: () => SECRET }],
  ["an empty file for a JWT", 0, { block: BY_TOKEN, jwt: () => "" }],
  [
    "an identity provider that does not exist",
    1,
    { block: { ...BY_TOKEN, identity_provider: "c1" }, right: BY_TOKEN },
  ],
  [
    "a protocol that does not exist",
    1,
    { block: { ...BY_TOKEN, protocol: "oidc" }, right: BY_TOKEN },
  ],
  [
    "a protocol that the identity provider does not have",
    1,
    { block: { ...BY_TOKEN, protocol: "mapped" }, right: BY_TOKEN },
  ],
  [
    "an identity token without a permission for the scope",
    2,
    { block: BY_TOKEN, scope: "account" },
  ],
  ["an audience, outside of GitHub Actions", 0, { block: BY_AUDIENCE, right: BY_TOKEN }],
  [
    'an audience, in a job without "id-token: write"',
    0,
    { block: BY_AUDIENCE, variables: { GITHUB_ACTIONS: "true", CI: "true" }, right: BY_TOKEN },
  ],
  [
    "an audience, with another job's bearer",
    1,
    {
      block: BY_AUDIENCE,
      variables: {
        GITHUB_ACTIONS: "true",
        ACTIONS_ID_TOKEN_REQUEST_URL: "GITHUB",
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: OTHER,
      },
      right: BY_TOKEN,
    },
  ],
  [
    "an audience, with a request by http to another machine",
    0,
    {
      block: BY_AUDIENCE,
      variables: {
        ACTIONS_ID_TOKEN_REQUEST_URL: "http://github.example/token?x=1",
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: OTHER,
      },
      right: BY_TOKEN,
    },
  ],
  // Commands.
  [
    "a command that does not exist",
    0,
    {
      block: { ...WITHOUT_PASSWORD, password_command: ["no-such-program", OTHER] },
      right: BY_COMMAND,
    },
  ],
  [
    "a command as a line for a shell",
    0,
    { block: { ...WITHOUT_PASSWORD, password_command: [`op read ${OTHER}`] }, right: BY_COMMAND },
  ],
  [
    "a command that is not allowed",
    0,
    { block: BY_COMMAND, variables: { IAM_TOKENS_ALLOWED_COMMANDS: "op,vault" }, right: BY_ID },
  ],
  [
    "a command that hangs",
    0,
    { block: BY_COMMAND, script: `console.log("${PASSWORD}"); setInterval(() => {}, 1000)` },
  ],
  ["a command that prints nothing", 0, { block: BY_COMMAND, script: "" }],
  [
    "a command that prints two lines",
    0,
    { block: BY_COMMAND, script: `console.log("${PASSWORD}\\n${OTHER}")` },
  ],
  [
    "a command that prints 10 MB",
    0,
    { block: BY_COMMAND, script: `process.stdout.write("${PASSWORD}".repeat(500_000))` },
  ],
  [
    "a command that exits with 3 after printing the secret",
    0,
    {
      block: BY_COMMAND,
      script: `console.log("${PASSWORD}"); console.error("${PASSWORD}"); process.exitCode = 3`,
    },
  ],
  [
    "a command that prints a secret that the service refuses",
    1,
    { block: BY_COMMAND, script: `console.log("${OTHER}")`, right: BY_PASSWORD },
  ],
  // A second factor.
  [
    "a user with a second factor",
    1,
    { block: { ...BY_PASSWORD, user_name: "person" }, right: BY_ID },
  ],
];

const claims = () => {
  const now = Math.floor(Date.now() / 1000);
  return { iss: "https://ci.issuer.invalid", sub: "job", aud: AUDIENCE, iat: now, exp: now + 300 };
};

/** Writes what a row's block reads. */
function lay({ jwt = () => oidc(), script = PRINTS_PASSWORD, cloud }: Partial<Mistake>): void {
  writeFileSync(join(scratch.folder, "jwt"), jwt());
  writeFileSync(join(scratch.folder, "command.cjs"), script);
  if (cloud === undefined) return;
  const auth = { auth_url: identity.authUrl, ...(cloud.auth as object) };
  const clouds = { prod: { ...cloud, auth } };
  writeFileSync(join(scratch.folder, "clouds.yaml"), JSON.stringify({ clouds }));
}

/** Without what is another one each time. */
const normal = (text: string): string =>
  text
    .replaceAll(identity.authUrl, "http://SERVICE")
    .replaceAll(scratch.folder, "FOLDER")
    .replaceAll(/req-[-0-9a-f]{36}/g, "req-ID")
    .replaceAll(/expires in [^)]+/g, "expires in 5 min")
    .replaceAll(/(expired \d+ min)[^)]* ago/g, "$1 ago");

// The messages are in __snapshots__, to be judged by a reader.
test.each(MISTAKES)("%s (requests: %d)", async (_input, requests, mistake) => {
  const { block, right = block, scope = "project", variables = {} } = mistake;
  lay(mistake);
  const url = identity.githubActions().ACTIONS_ID_TOKEN_REQUEST_URL;
  const github = variables.ACTIONS_ID_TOKEN_REQUEST_URL === "GITHUB" && {
    ACTIONS_ID_TOKEN_REQUEST_URL: url,
  };
  const processContext = surroundingsOf(
    {
      HOME: scratch.home,
      PATH: dirname(process.execPath),
      PW: PASSWORD,
      AC: SECRET,
      OTHER,
      ...variables,
      ...github,
    },
    { workingFolder: scratch.folder },
  );
  // A command has 30 s.
  const { setTimeout } = globalThis;
  jest
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((act: () => void, ms: number, ...rest: []) =>
      setTimeout(act, ms === 30_000 ? 1_000 : ms, ...rest)) as typeof globalThis.setTimeout);
  const provider = createIamProvider({ processContext });
  const logs: string[] = [];
  const open = async (parts: CtyObject, wanted = "project"): Promise<readonly Diagnostic[]> => {
    const own = "cloud" in parts || parts.auth_url === null ? {} : { auth_url: identity.authUrl };
    const config = { ...own, ...parts };
    const mistakes = validateProviderBlock(config);
    if (mistakes.length > 0) return mistakes;
    const context = contextOf(sessionOf(config));
    const project = wanted === "project" && !("application_credential_id" in parts);
    const token = { scope: wanted, ...(project && { project_name: "web" }) };
    const opened = await provider.ephemeralResources.iam_token?.open(token, context);
    logs.push(...context.logged);
    return opened?.diagnostics ?? [];
  };
  try {
    identity.clearJournal();
    const found = await Promise.all([1, 2, 3].map(() => open(block, scope)));
    found.push(await open(block, scope));
    const asked = identity.journal.length;
    const [first] = found[0] ?? [];
    const text = `${first?.summary}\n${first?.detail}`;
    expect(normal(text)).toMatchSnapshot();
    expect(asked).toBe(requests);
    expect(found.flat().every(({ severity }) => severity === "error")).toBe(true);
    expect(found.every((each) => each.length === 1)).toBe(true);
    const all = JSON.stringify([found, logs]);
    for (const secret of [PASSWORD, SECRET, OTHER, "canary", ...identity.oidcTokens().slice(-1)])
      expect(all).not.toContain(secret);
    expect(text).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    // Nothing is remembered of it: as soon as it is right, it works.
    lay({});
    expect(await open(right)).toEqual([]);
  } finally {
    await provider.close();
  }
});
