import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDeclaredToken } from "../../../lib/cli/issue/declared-token";
import { tokenTextOf } from "../../../lib/cli/issue/token-text";
import { readProject } from "../../../lib/cli/stacks";
import type { IssuedToken } from "../../../lib/identity";
import { parseAuthUrl, Secret } from "../../../lib/tokens";
import { makeScratch, type Scratch } from "../../support/scratch";
import { cli } from "../run-cli";

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
  writeFileSync(join(scratch.folder, "cdktf.json"), "{}");
});
afterEach(() => scratch.remove());

const token = (path: string, more: object = {}) => ({
  "//": { metadata: { path, uniqueId: "x" } },
  provider: "iam.identity",
  scope: "account",
  ...more,
});
const identity = {
  alias: "identity",
  auth_url: "https://k.example",
  account_id: "123456",
  user_name: "deployer",
  password_file: "${abspath(path.root)}/../../../secrets/password",
  password_command: ["${abspath(path.root)}/../bin/secret", "deployer"],
};
const required = { iam: { source: "npm.invalid/cdktf-iam-tokens/iam" } };

function stack(name: string, tokens: Readonly<Record<string, object>>, block: object = identity) {
  const folder = join(scratch.folder, "cdktf.out/stacks", name);
  mkdirSync(folder, { recursive: true });
  const json = {
    terraform: { required_providers: required },
    provider: { iam: [block, {}] },
    ephemeral: { iam_token: tokens },
  };
  writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify(json));
  return folder;
}
const app = () =>
  stack("app", {
    web: token("app/web/Default", {
      project_name: "${path.root}",
      destinations: ["x"],
    }),
    "network--project_1": token("app/network/project/Default", {
      scope: "project",
    }),
    "shop--project_2": token("app/shop/project/Default"),
  });
const find = async (wanted: Parameters<typeof findDeclaredToken>[0]) =>
  findDeclaredToken(wanted, (await readProject(scratch.folder)).stacks);

test.each([
  ["web", "web"],
  ["app/web", "web"],
  ["network/project", "network--project_1"],
  ["app/network/project", "network--project_1"],
  ["network--project_1", "network--project_1"],
])(
  "a declared token is found by path, by its name in Terraform or by id: %j",
  async (given, name) => {
    const folder = app();
    const found = await find({ stack: "app", token: given });
    expect(found).toEqual({
      folder,
      wanted: name === "web" ? { scope: "account", project_name: folder } : { scope: "project" },
      block: {
        auth_url: "https://k.example",
        account_id: "123456",
        user_name: "deployer",
        // Relative files are those of the stack's folder.
        password_file: join(scratch.folder, "secrets/password"),
        password_command: [join(folder, "../bin/secret"), "deployer"],
      },
    });
  },
);

test("the only one needs no name, and an id is one if no path is the same", async () => {
  stack("one", { only: token("one/only/Default", { min_remaining: "8h" }) });
  expect((await find({})).wanted).toEqual({
    scope: "account",
    min_remaining: "8h",
  });
  expect((await find({ token: "only" })).wanted).toMatchObject({
    scope: "account",
  });
});

// Nothing listens there: a usage error comes before a connection.
const ENV = {
  OS_AUTH_URL: "http://127.0.0.1:1",
  OS_USERNAME: "deployer",
  OS_USER_DOMAIN_NAME: "123456",
  OS_PASSWORD: "canary",
};
async function refused(
  args: readonly string[],
  env: Readonly<Record<string, string>> = ENV,
  code = "ERR_USAGE",
): Promise<string> {
  const { exitCode, stdout, stderr } = await cli(["issue", ...args], {
    env,
    workingFolder: scratch.folder,
  });
  expect({ exitCode, stdout }).toEqual({
    exitCode: code === "ERR_USAGE" ? 2 : 1,
    stdout: "",
  });
  expect(stderr).toMatch(new RegExp(`^[^\\n]+ \\[${code}\\]\\n$`));
  expect(stderr).not.toContain("canary");
  return stderr;
}
const CHOICES =
  '--stack "app" --token "web", or --stack "app" --token "network/project", or --stack "app" --token "shop/project"';

test.each([
  [
    [],
    `No token is named: a scope has no default. Give ${CHOICES}, or --scope account, or --project NAME.`,
  ],
  [["--stack", "ap"], `No declared token has --stack "ap". Give ${CHOICES}.`],
  [["--token", "wbe"], `No declared token has --token "wbe". Give ${CHOICES}.`],
  [["--token", "project"], '2 declared tokens have --token "project". Give'],
  [["--stack", "app"], '3 declared tokens have --stack "app". Give'],
  [
    ["--token", "web", "--scope", "account"],
    "Option '--scope <scope>' cannot be used with option '--token <name>'",
  ],
  [["--project", " web"], "--project: the name starts or ends with white space"],
  [["--scope", "account", "--cloud", ""], "--cloud: the name is empty."],
  [["--scope", "account", "--min-remaining", "soon"], '--min-remaining: "soon" is not a duration.'],
  [["--scope", "account", "--project", "web"], "--project is given with --scope account."],
  [["--scope", "account", "--project-id", "p"], "--project-id is given with --scope account."],
  [["--project-id", ""], "--project-id: the id is empty."],
  [["--header", "--json"], "'--header' cannot be used with option '--json'"],
  [["--json", "--env", "A"], "'--json' cannot be used with option '--env [name]'"],
  [["--scope", "Account"], "argument 'Account' is invalid. Allowed choices are account, project."],
])("%j is a usage error, with what there is", async (args, problem) => {
  app();
  expect(await refused(args)).toContain(problem);
});

test("a token of several stacks is one choice", async () => {
  for (const name of ["s1", "s2", "s3"]) stack(name, { web: token(`${name}/web/Default`) });
  expect(await refused([])).toContain(
    'Give --token "web" with --stack "s1" or "s2" or "s3", or --scope account,',
  );
});

test("without credentials, the error names the variables, and the declared tokens with theirs", async () => {
  app();
  expect(await refused(["--project", "web"], {}, "ERR_CREDENTIALS_MISSING")).toContain(
    `Set OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD, or name an entry of clouds.yaml with --cloud; or have the credentials of a declared token: ${CHOICES}.`,
  );
  expect(await refused(["--scope", "project"], ENV, "ERR_SCOPE_INVALID")).toContain(
    "Give --project NAME or --project-id ID, or another --scope.",
  );
});

test("what only Terraform knows, and a block that is missing, are errors: no other credentials take their place", async () => {
  stack("app", {
    web: token("app/web/Default", { project_name: "${var.project}" }),
  });
  expect(await refused(["--token", "web"], ENV, "ERR_RESOLUTION_UNKNOWN")).toMatch(
    /^project_name of the token "web" is an expression: only Terraform knows its value\. Give the credentials in the OS_ variables, and --project NAME or --scope account\./,
  );
  stack("app", { web: token("app/web/Default") }, { ...identity, password_file: "${var.canary}" });
  expect(await refused(["--token", "web"], ENV, "ERR_RESOLUTION_UNKNOWN")).toContain(
    'password_file of its provider block "identity" is an expression',
  );
  stack("app", { web: token("app/web/Default") }, {});
  expect(await refused(["--stack", "app", "--token", "web"])).toContain(
    'No declared token has --stack "app" --token "web". Give --project NAME or --scope account: no token is declared here.',
  );
});

test("a project that cannot be read is an error only for what it declares", async () => {
  writeFileSync(join(scratch.folder, "cdktf.json"), "canary");
  expect(await refused(["--token", "web"])).toContain('cdktf.json" is not JSON.');
  expect(await refused(["--project", "web"], {}, "ERR_CREDENTIALS_MISSING")).toContain("--cloud.");
});

const issued = (token: string): IssuedToken => ({
  token: Secret.of(token),
  kind: "iam_token_account_scoped",
  issuedAt: new Date("2026-01-02T03:04:05Z"),
  expiresAt: new Date("2026-01-03T03:04:05Z"),
  remainingMs: 86_400_000,
  authUrl: parseAuthUrl("https://k.example"),
  warnings: [],
});

test("each form", () => {
  const forms = [{}, { header: true }, { json: true }, { env: true }] as const;
  const texts = forms.map((form) => tokenTextOf(form)(issued("t")));
  expect(texts.join("---\n")).toBe(`t
---
X-Auth-Token: t
---
{
  "token": "t",
  "header_name": "X-Auth-Token",
  "headers": {
    "X-Auth-Token": "t"
  },
  "kind": "iam_token_account_scoped",
  "issued_at": "2026-01-02T03:04:05Z",
  "expires_at": "2026-01-03T03:04:05Z",
  "fingerprint": "94fdb6677a00",
  "auth_url": "https://k.example/identity/v3",
  "project_id": null,
  "user_id": null
}
---
export IAM_TOKEN='t'
export IAM_TOKEN_HEADER='X-Auth-Token'
export IAM_TOKEN_EXPIRES_AT='2026-01-03T03:04:05Z'
`);
});

test("a message lists at most 20 of the declared tokens", async () => {
  const many = Array.from({ length: 21 }, (_, index) => `t${index}`);
  const declare = (names: string[]) =>
    stack("app", Object.fromEntries(names.map((name) => [name, token(`app/${name}`)])));
  declare(many);
  expect(await refused([])).toContain('--token "t19", or one of 1 more, or --scope account');
  declare(many.slice(1));
  expect(await refused([])).toContain('--token "t20", or --scope account');
});

test("refuses an invalid name, and does not repeat it", () => {
  for (const name of ["1A", "A B", "A;rm", "", "A=canary"]) {
    expect(() => tokenTextOf({ env: name })).toThrow(
      new Error(
        "The value of --env is not a valid variable name. Allowed: letters, digits and _, not starting with a digit. Run it with --help. [ERR_USAGE]",
      ),
    );
  }
});

test("refuses a name that a shell, a loader or an interpreter obeys, and takes any other", () => {
  const obeyed =
    "PATH CDPATH MANPATH HOME SHELL SHELLOPTS IFS PS1 PS4 ENV BASH_ENV BASH_FUNC_a PROMPT_COMMAND LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS NPM_CONFIG_PREFIX PYTHONSTARTUP PERL5LIB PERL5OPT RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS GIT_SSH_COMMAND GIT_EXEC_PATH EDITOR PAGER SSH_ASKPASS TF_CLI_ARGS TF_REATTACH_PROVIDERS Path";
  for (const name of obeyed.split(" "))
    expect(() => tokenTextOf({ env: name })).toThrow(
      `--env is ${name}, a variable that shells or other programs obey. Give another name, such as IAM_TOKEN. [ERR_USAGE]`,
    );
  for (const name of ["IAM_TOKEN", "OS_TOKEN", "TF_VAR_token", "MY_LD_x", "IFS_", "XPS1", "x"])
    expect(tokenTextOf({ env: name })(issued("t"))).toMatch(`export ${name}='t'\n`);
});

test("a token is not printed to a terminal without --show, and is not issued for that", async () => {
  const stdout = { write: () => undefined, isTTY: true };
  const options = { stdout, workingFolder: scratch.folder };
  for (const [more, stderr] of [
    [[], /would be printed to the terminal\. .*--show/],
    [["--show"], /ERR_CREDENTIALS_MISSING/],
  ] as const)
    expect((await cli(["issue", "--scope", "account", ...more], options)).stderr).toMatch(stderr);
});
