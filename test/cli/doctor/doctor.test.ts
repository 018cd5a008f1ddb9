import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../../support/command";
import { stillRunning } from "../../support/processes";
import { packageRoot } from "../../support/project";
import { PASSWORD, Project } from "./project";

// With a program in the place of Terraform; test/scenarios/doctor.test.ts has the real one.
let project: Project;
beforeAll(async () => {
  project = await Project.start();
});
beforeEach(() => project.mend());
afterEach(() => project.identity.clearJournal());
afterAll(() => project.stop());

const SERVICE = "provider iam.identity of stacks api, web";

test("prints a line for each check of a healthy project, and one for equal results of several stacks", async () => {
  const { exitCode, stdout, stderr } = await project.run(["--issue"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.replaceAll(/\d+ ms|[\d.]+:\d+|\d+\.\d+\.\d+/g, "N").split("\n")).toEqual([
    expect.stringMatching(/^ok {6}node {13}Node\.js N, linux_\w+, cdktf-iam-tokens N\.$/),
    "ok      terraform        Terraform vN.",
    "ok      project          Stacks: api, web.",
    "ok      environment      No variable makes Terraform log secrets.",
    "ok      init             stacks api, web: Terraform finds the provider, accepts it and starts it.",
    `ok      credentials      ${SERVICE}: "deployer" of account "123456", by the variable PW.`,
    "ok      identity-service http://N/identity/v3 answers (200) in N.",
    "ok      clock            The clocks of this machine and N agree within a minute.",
    `ok      issue            ${SERVICE}: A token for the project "web" was issued in N; it is valid for 1 d.`,
    "",
  ]);
  expect(project.identity.issuedTokens()).toHaveLength(1);
});

interface Fault {
  readonly title: string;
  /** Breaks a part of the healthy project. */
  readonly broken?: () => unknown;
  readonly vars?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly now?: () => number;
  readonly reported: RegExp;
}

const provider = (change: (text: string) => string) => () => project.edit("cdk.tf.json", change);
const MINUTE = 60_000;

test.each<Fault>([
  {
    title: "a Node.js that is too old",
    broken: () => project.write("bin/node", "#!/bin/sh\necho v18.20.4\n", 0o755),
    reported:
      /^node failed: The "node" in PATH is 18\.20\.4; the provider needs 20\.18\.1 or newer\./,
  },
  {
    title: "no Terraform",
    vars: { TERRAFORM_BINARY_NAME: "no-such-program" },
    reported:
      /^terraform failed: "no-such-program" is not in PATH\. -> .*TERRAFORM_BINARY_NAME=tofu/,
  },
  {
    title: "a version manager without a version",
    broken: () => project.terraform("exit 1", "echo 'no version is set' >&2; exit 126"),
    reported: /^terraform failed: "terraform version" fails \(exit code 126\)\. no version is set/,
  },
  {
    title: "nothing that is synthesized",
    broken: () => project.write("project/cdktf.json", '{ "output": "elsewhere" }'),
    reported:
      /^project failed: .* no synthesized stack with the provider\. -> Run cdktf synth first/,
  },
  {
    title: "a folder for temporary files that is not there",
    vars: { TMPDIR: "/no/such/folder" },
    args: ["--only", "init"],
    reported:
      /^init failed: .*No folder can be made in "\/no\/such\/folder", .*\(ENOENT\)\. -> Set TMPDIR/,
  },
  {
    title: "a log with secrets",
    vars: { TF_LOG: "TRACE" },
    reported: /^environment warning: TF_LOG/,
  },
  {
    title: "a variable that is not set",
    vars: { PW: "" },
    reported: /^credentials failed: provider iam\.identity of stacks api, web: .*PW .* is empty/,
  },
  {
    title: "a password that the service refuses, requested once",
    vars: { PW: "canary-wrong" },
    args: ["--issue"],
    reported:
      /^issue failed: .* A token for the project "web": .*Possible causes:(?:\n- [^\n]+)+ \[ERR_CREDENTIALS_REJECTED\]/,
  },
  {
    title: "a command for the password, run for a requested token only",
    broken: provider((text) =>
      text.replace(/"password_env": "[^"]*"/, '"password_command": ["/bin/sh", "-c", "exit 3"]'),
    ),
    args: ["--issue", "--only", "credentials"],
    reported: /^credentials failed: .*exited with 3/,
  },
  {
    title: "a service that does not run",
    broken: provider((text) =>
      text.replace(/"auth_url": "[^"]*"/, '"auth_url": "http://127.0.0.1:1"'),
    ),
    args: ["--issue"],
    reported:
      /^identity-service failed: The connection to 127\.0\.0\.1:1 failed.*ERR_CONNECTION_FAILED/,
  },
  {
    title: "an address that is not allowed",
    vars: { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://cloud.api.example.com" },
    args: ["--issue"],
    reported: /^credentials failed: .*ERR_ADDRESS_NOT_ALLOWED/,
  },
  {
    title: "a wrong path",
    broken: provider((text) => text.replace(/("auth_url": "[^"]*)"/, '$1/elsewhere/v3"')),
    reported: /^identity-service warning: .* answers \(404\) .* -> Check the path\./,
  },
  {
    title: "a clock that is off",
    now: () => Date.now() + 2 * MINUTE,
    reported: /^clock warning: This machine's clock is 2 min (?:1 s )?ahead of/,
  },
  {
    title: "a clock that is wrong",
    now: () => Date.now() - 10 * MINUTE,
    reported: /^clock failed: This machine's clock is (?:9 min 59 s|10 min) behind/,
  },
])("reports $title, and nothing else", async ({ broken, vars, args, now, reported }) => {
  broken?.();
  const [fault, ...others] = await project.faults(args, vars, now);
  expect(others).toEqual([]);
  expect(fault).toMatch(reported);
  expect(fault).not.toMatch(/-> undefined$/);
});

test("what only Terraform knows is skipped, but the address is contacted; a command is not run", async () => {
  project.edit("cdk.tf.json", (text) =>
    text.replace(/"password_env": "[^"]*"/, '"password": "${var.pw}"'),
  );
  const unknown = await project.findings(["--only", "credentials,identity-service"]);
  expect(unknown.map(({ status, text }) => `${status} ${text}`)).toEqual([
    `skipped ${SERVICE}: Only Terraform knows password.`,
    expect.stringMatching(/^ok http:.* answers/),
  ]);
  provider((text) => text.replace(/("auth_url": )"[^"]*"/, '$1"${var.url}"'))();
  const none = await project.findings(["--only", "credentials,identity-service"]);
  expect(none.map(({ status, text }) => `${status} ${text}`)).toEqual([
    `skipped ${SERVICE}: Only Terraform knows auth_url.`,
    expect.stringMatching(/^skipped No address is known/),
  ]);
  project.mend();
  provider((text) => text.replace(/"password_env": "[^"]*"/, '"password_command": ["/no/such"]'))();
  const [command] = await project.findings(["--only", "credentials"]);
  expect(command?.text).toMatch(
    /by password_command of the provider block, which was not run: --issue runs it\./,
  );
});

test("without a stack, the environment is checked; plain HCL is tried by Terraform alone", async () => {
  mkdirSync(project.path("empty"));
  const environment = {
    OS_AUTH_URL: project.identity.authUrl,
    OS_USERNAME: "deployer",
    OS_USER_DOMAIN_NAME: "123456",
  };
  expect(await project.faults(["../empty"], environment)).toEqual([
    expect.stringMatching(/^credentials failed: the environment: .*but lacks the password/),
  ]);
  const whole = { ...environment, OS_PASSWORD: PASSWORD };
  expect(await project.faults(["../empty", "--issue", "web"], whole)).toEqual([]);
  project.write("plain/main.tf", '# npm.invalid/cdktf-iam-tokens/iam\nprovider "iam" {}\n');
  project.terraform('cat "${1#-chdir=}/main.tf.json" >&2; exit 1');
  const [plain] = await project.faults(["../plain", "--only", "init"]);
  expect(plain).toMatch(
    /^init failed: stack plain: .*"source":"npm\.invalid\/cdktf-iam-tokens\/iam"\}/,
  );
});

test.each<[string, RegExp, readonly string[], () => unknown]>([
  [
    "an unknown check",
    /--only names "nothing", which is not a check\. Allowed: node, terraform, /,
    ["--only", "nothing"],
    () => {},
  ],
  ["an empty project", /--issue: the project is empty/, ["--issue", ""], () => {}],
  ["no folder", /"none" is not a folder/, ["none"], () => {}],
  [
    "a stack that is not JSON",
    /The file ".*web\/cdk\.tf\.json" is not JSON\. Synthesize again/,
    [],
    () => project.write("project/cdktf.out/stacks/web/cdk.tf.json", "canary"),
  ],
])("%s is a usage error", async (_, said, args, broken) => {
  broken();
  const { exitCode, stdout, stderr } = await project.run(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(said);
});

test("the trial folder has the stack's requirement, lock file and provider, and no cache of the user's; nothing stays", async () => {
  project.terraform(
    `(pwd; echo "$*"; env; cd "\${1#-chdir=}"; ls -A; cat *.json .terraform.lock.hcl; ls terraform.d/plugins; mkdir -p .terraform/x; ln -sfn ${project.stack("api")} .terraform/x/link) >>${project.path("seen")}`,
  );
  const before = readdirSync(project.stack("api"), { recursive: true }).sort();
  const vars = {
    TF_CLI_CONFIG_FILE: "own.tfrc",
    TF_CLI_ARGS_init: "-upgrade",
    TF_DATA_DIR: "/elsewhere",
    TF_PLUGIN_CACHE_DIR: "/cache",
    TF_WORKSPACE: "blue",
  };
  expect(await project.faults(["--only", "init"], vars)).toEqual([]);
  expect(readdirSync(project.stack("api"), { recursive: true }).sort()).toEqual(before);
  const text = readFileSync(project.path("seen"), "utf8");
  expect(text).toMatch(/-chdir=\S+ init -backend=false -input=false -no-color\n/);
  expect(text).toMatch(/-chdir=\S+ validate -no-color\n/);
  expect(text).toContain(`${project.stack("api")}\n`);
  expect(text).toMatch(/"required_version":">= 1\.1\d/);
  expect(text).toContain('provider "npm.invalid/cdktf-iam-tokens/iam" {');
  expect(text).toContain("TF_CLI_CONFIG_FILE=own.tfrc\n");
  expect(text).not.toMatch(/^TF_(?:CLI_ARGS|DATA_DIR|WORKSPACE)|=\/cache$/m);
  // The two stacks differ in nothing that matters.
  expect(text.match(/ validate /g)).toHaveLength(1);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends Terraform with its children, and removes the folder",
  async (signal) => {
    const { scratch } = project;
    const started = project.path(`started-${signal}`);
    project.terraform(`sleep 600 & touch ${started}; sleep 600`);
    const running = startCommand(
      process.execPath,
      [join(packageRoot, "dist/cli/main.js"), "doctor", "--only", "init"],
      { cwd: project.path("project"), env: project.vars },
    );
    while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(scratch.leftovers()).not.toEqual([]);
    running.signalAlone(signal);
    expect((await running.finished).exitCode).toBeGreaterThan(128);
    expect(await stillRunning(scratch.marker)).toEqual([]);
  },
);
