import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../lib/cli/issue";
import type { IssuedToken } from "../../../lib/identity";
import { parseAuthUrl, Secret } from "../../../lib/tokens";
import { startCommand } from "../../support/command";
import { startIdentity } from "../../support/identity-service";
import { packageRoot } from "../../support/project";
import { useScratch } from "../../support/scratch";
import { cli } from "../run-cli";

const scratch = useScratch();

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
test.each([
  [[], "No token is named: a scope has no default. Give --scope account, or --project NAME."],
  [["--stack", "app"], "Unknown option '--stack'"],
  [["--token", "web"], "Unknown option '--token'"],
  [["--project", " web"], "--project: the name starts or ends with white space"],
  [["--scope", "account", "--cloud", ""], "--cloud: the name is empty."],
  [["--scope", "account", "--project", "web"], "--project is given with --scope account."],
  [["--scope", "account", "--project-id", "p"], "--project-id is given with --scope account."],
  [["--project-id", ""], "--project-id: the id is empty."],
  [["--header", "--json"], "'--header' cannot be used with option '--json'"],
  [["--scope", "Account"], "argument 'Account' is invalid. Allowed choices are account, project."],
])("%j is a usage error, with what there is", async (args, problem) => {
  expect(await refused(args)).toContain(problem);
});

const GENERAL =
  "Set OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD, or name an entry of clouds.yaml with --cloud. [";

test.each<[string, string[], Record<string, string>, string, string]>([
  [
    "no credentials at all",
    ["--project", "web"],
    {},
    "ERR_CREDENTIALS_MISSING",
    `Neither a cloud of clouds.yaml (--cloud) nor the environment gives credentials. ${GENERAL}`,
  ],
  [
    "no project",
    ["--scope", "project"],
    ENV,
    "ERR_SCOPE_INVALID",
    'scope is "project", but --project is not given. Give --project, or set --scope account. [',
  ],
  [
    "a system scope",
    ["--project", "web"],
    { ...ENV, OS_SYSTEM_SCOPE: "all" },
    "ERR_CREDENTIALS_UNSUPPORTED",
    "or give all credentials in a cloud of clouds.yaml (--cloud), which then ignores the environment.",
  ],
])(
  "the provider's own next step stays, in words of a shell: %s",
  async (_, args, env, code, said) => {
    const auth = "{project_name: eu-de, user_domain_name: X, username: u, password: canary}";
    const clouds = `clouds:\n  otc:\n    profile: otc\n    auth: ${auth}\n`;
    writeFileSync(join(scratch.folder, "clouds.yaml"), clouds);
    const printed = await refused(args, env, code);
    expect(printed).toContain(said);
    expect(printed).not.toMatch(/provider block|project_name|cloud =/);
  },
);

test("a job of GitHub Actions hides the token in its log, before the token is anywhere", async () => {
  // The commands of a job have %25 for %.
  const headers = [["X-Subject-Token", "gAAAA%0A"]] as const;
  const intercept = () => ({ status: 201, headers });
  const identity = await startIdentity("canary", {}, { intercept });
  const env = { ...ENV, OS_AUTH_URL: identity.authUrl };
  const issue = (more = {}) => cli(["issue", "--project-id", "p"], { env: { ...env, ...more } });
  try {
    expect((await issue()).stderr).toBe("");
    const { stdout, stderr } = await issue({ GITHUB_ACTIONS: "true" });
    expect([stdout, stderr]).toEqual(["gAAAA%0A\n", "::add-mask::gAAAA%250A\n"]);
    // Into a file, the line would not hide the token, but keep it.
    const command = `${process.execPath} ${packageRoot}/dist/cli/main.js issue --scope account`;
    const kept = startCommand("/bin/sh", ["-c", `${command} 2>log; cat log >&2`], {
      cwd: scratch.folder,
      env: { ...scratch.env, ...env, GITHUB_ACTIONS: "true" },
    });
    expect(await kept.finished).toMatchObject({
      stdout: expect.stringMatching(/^gAAAA\S+\n$/),
      stderr: "",
    });
  } finally {
    await identity.stop();
  }
});

const issued = (token: string): IssuedToken => ({
  token: Secret.of(token),
  kind: "iam_token_account_scoped",
  issuedAt: new Date("2026-01-02T03:04:05Z"),
  expiresAt: new Date("2026-01-03T03:04:05Z"),
  remainingMs: 86_400_000,
  receivedAt: 0,
  authUrl: parseAuthUrl("https://k.example"),
  warnings: [],
});

test("each form", () => {
  const forms = [{}, { header: true }, { json: true }] as const;
  const texts = forms.map((form) => `${textOf(issued("t"), form)}\n`);
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
`);
});

test("a token is not printed to a terminal without --show, and is not issued for that", async () => {
  const stdout = { write: () => undefined, isTTY: true, isFile: false };
  const options = { stdout, workingFolder: scratch.folder };
  for (const [more, stderr] of [
    [[], /would be printed to the terminal\. .*--show/],
    [["--show"], /ERR_CREDENTIALS_MISSING/],
  ] as const)
    expect((await cli(["issue", "--scope", "account", ...more], options)).stderr).toMatch(stderr);
});
