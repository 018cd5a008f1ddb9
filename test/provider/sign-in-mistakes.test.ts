import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CtyObject } from "../../lib/plugin/cty/value";
import type { Diagnostic } from "../../lib/plugin/provider";
import { validateProviderBlock } from "../../lib/provider/credentials/provider-block";
import { createIamProvider } from "../../lib/provider/iam-provider";
import { EmbeddedIdentityService } from "../../lib/testing";
import { useScratch } from "../support/scratch";
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
const scratch = useScratch();
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
      identityProviders: [{ id: "ci", audience: AUDIENCE, permission: { projects: ["web"] } }],
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

// By its name: a long path would leave the message no headline.
const command = ["node", "command.cjs"];
const PRINTS_PASSWORD = `console.log("${PASSWORD}")`;

/** Parts of a provider block, without the address. */
const BY_PASSWORD = { account_id: "123456", user_name: "deployer", password_env: "PW" };
const BY_COMMAND = { account_id: "123456", user_name: "deployer", password_command: command };
const BY_ID = { application_credential_id: "a1", application_credential_secret_env: "AC" };
const BY_TOKEN = {
  account_id: "123456",
  identity_provider: "ci",
  protocol: "openid",
  oidc_token_file: "jwt",
};
const { oidc_token_file: _, ...WITHOUT_TOKEN } = BY_TOKEN;
const BY_AUDIENCE = { ...WITHOUT_TOKEN, oidc_audience: AUDIENCE };
const { password_env: __, ...WITHOUT_PASSWORD } = BY_PASSWORD;

/** What else belongs to an input. */
interface Surroundings {
  /** What is right again in the end. Default: the same block, with another JWT or program. */
  readonly right?: CtyObject;
  readonly scope?: "account";
  readonly variables?: Readonly<Record<string, string>>;
  readonly jwt?: () => string;
  readonly script?: string;
}

const oidc = (options: Parameters<EmbeddedIdentityService["oidcToken"]>[0] = {}) =>
  identity.oidcToken({ sub: "repo:example/shop", ...options });

/** By the input; without the address of the provider block. */
const MISTAKES: [string, requests: number, CtyObject, Surroundings?][] = [
  // Half a way, two ways, a way and a half.
  [
    "an application credential's id without its secret",
    0,
    { application_credential_id: "a1" },
    { right: BY_ID },
  ],
  ["a password and an application credential", 0, { ...BY_PASSWORD, ...BY_ID }, { right: BY_ID }],
  [
    "an identity token from two places",
    0,
    { ...BY_TOKEN, oidc_audience: AUDIENCE },
    { right: BY_TOKEN },
  ],
  ["a cloud, and parts of a way", 0, { ...BY_ID, cloud: "prod" }, { right: BY_ID }],
  // Application credentials.
  ["an application credential with an account scope", 0, BY_ID, { scope: "account" }],
  [
    "an application credential with an id that does not exist",
    1,
    { ...BY_ID, application_credential_id: "b2" },
    { right: BY_ID },
  ],
  [
    "an application credential with a wrong secret",
    1,
    { ...BY_ID, application_credential_secret_env: "OTHER" },
    { right: BY_ID },
  ],
  [
    "an application credential of another account",
    2,
    { ...BY_ID, account_id: "654321" },
    { right: BY_ID },
  ],
  // Identity tokens.
  [
    "a JWT that is cut after its claims",
    0,
    BY_TOKEN,
    { jwt: () => oidc().split(".").slice(0, 2).join(".") },
  ],
  ["a JWT that has expired", 1, BY_TOKEN, { jwt: () => oidc({ expiresIn: -420 }) }],
  ["a JWT for another audience", 1, BY_TOKEN, { jwt: () => oidc({ aud: "https://else.example" }) }],
  ["a JWT of 100 kB", 0, BY_TOKEN, { jwt: () => oidc({ claims: { pad: "x".repeat(75_000) } }) }],
  [
    "a JWT that is longer than the web server's limit",
    1,
    BY_TOKEN,
    { jwt: () => oidc({ claims: { pad: "x".repeat(7_500) } }) },
  ],
  [
    "a JWT with terminal escapes and a CI command in its claims",
    1,
    BY_TOKEN,
    {
      jwt: () =>
        oidc({
          sub: "\u001b[2J\u001b]0;x\u0007\n::error::x",
          aud: "\u009b31m\u202e",
          expiresIn: -60,
        }),
    },
  ],
  ["no JWT: the application credential's secret", 0, BY_TOKEN, { jwt: () => SECRET }],
  [
    "an identity provider that does not exist",
    1,
    { ...BY_TOKEN, identity_provider: "c1" },
    { right: BY_TOKEN },
  ],
  ["an identity token without a permission for the scope", 2, BY_TOKEN, { scope: "account" }],
  ["an audience, outside of GitHub Actions", 0, BY_AUDIENCE, { right: BY_TOKEN }],
  [
    "an audience, with a request by http to another machine",
    0,
    BY_AUDIENCE,
    {
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
    { ...WITHOUT_PASSWORD, password_command: ["no-such-program", OTHER] },
    { right: BY_COMMAND },
  ],
  [
    "a command as a line for a shell",
    0,
    { ...WITHOUT_PASSWORD, password_command: [`op read ${OTHER}`] },
    { right: BY_COMMAND },
  ],
  [
    "a command that is not allowed",
    0,
    BY_COMMAND,
    { variables: { IAM_TOKENS_ALLOWED_COMMANDS: "op,vault" }, right: BY_ID },
  ],
  [
    "a command that exits with 3 after printing the secret",
    0,
    BY_COMMAND,
    {
      script: `console.log("${PASSWORD}"); console.error("${PASSWORD}"); process.exitCode = 3`,
    },
  ],
  [
    "a command that prints a secret that the service refuses",
    1,
    BY_COMMAND,
    { script: `console.log("${OTHER}")`, right: BY_PASSWORD },
  ],
  // A second factor.
  ["a user with a second factor", 1, { ...BY_PASSWORD, user_name: "person" }, { right: BY_ID }],
];

/** Writes what a row's block reads. */
function lay({ jwt = () => oidc(), script = PRINTS_PASSWORD }: Surroundings): void {
  writeFileSync(join(scratch.folder, "jwt"), jwt());
  writeFileSync(join(scratch.folder, "command.cjs"), script);
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
test.each<(typeof MISTAKES)[number]>(MISTAKES)(
  "%s (requests: %d)",
  async (_input, requests, block, more = {}) => {
    const { right = block, scope = "project", variables = {} } = more;
    lay(more);
    const processContext = surroundingsOf(
      {
        HOME: scratch.home,
        PATH: dirname(process.execPath),
        PW: PASSWORD,
        AC: SECRET,
        OTHER,
        ...variables,
      },
      { workingFolder: scratch.folder },
    );
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
  },
);
