import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "../../../lib";
import { packageVersion } from "../../../lib/delivery/package-root";
import { thisPlatform } from "../../../lib/delivery/platforms";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { startCommand } from "../../support/command";
import { onPlatform } from "../../support/platform";
import { stillRunning } from "../../support/processes";
import { packageRoot } from "../../support/project";
import { makeScratch } from "../../support/scratch";
import { synthApp } from "../../support/synth";
import { cli } from "../run-cli";

// A project of two stacks, which a program in the place of Terraform judges;
// test/scenarios/doctor.test.ts has the real one.
const PASSWORD = "canary-password-of-the-doctor";
const scratch = makeScratch();
const path = (name: string) => join(scratch.folder, name);
const stack = (name: string, file = "") => path(join("project/cdktf.out/stacks", name, file));
let identity: EmbeddedIdentityService;
let openstack: Variables;

const version = packageVersion();
const OF = `npm.invalid/cdktf-iam-tokens/iam/${version}/${thisPlatform()}`;
const LAUNCHER = `terraform-provider-iam_v${version}`;

function write(name: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text, { mode });
}

/** Puts a program in the place of Terraform, with a script for `init` and `validate`. */
function terraform(script: string, says = "echo Terraform v1.11.4"): void {
  const cases = `case $1 in\nversion) ${says} ;;\n*) ${script} ;;\nesac`;
  write("bin/terraform", `#!/bin/sh\n${cases}\n`, 0o755);
}

/** Lays out what `init` would: a link to what synthesis has delivered. */
function initialize(name: string): void {
  const place = stack(name, `.terraform/providers/${OF}`);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(stack(name, `terraform.d/plugins/${OF}`), place);
}

beforeAll(async () => {
  const permission = { account: true, projects: ["web"] };
  const serviceUsers = [{ name: "deployer", password: PASSWORD, permission }];
  identity = await EmbeddedIdentityService.start({ accountId: "123456", serviceUsers });
  openstack = {
    OS_AUTH_URL: identity.authUrl,
    OS_USERNAME: "deployer",
    OS_USER_DOMAIN_NAME: "123456",
    OS_PASSWORD: PASSWORD,
  };
});
beforeEach(() => {
  for (const name of ["bin", "project"]) rmSync(path(name), { recursive: true, force: true });
  cpSync(path("synthesized"), path("project"), { recursive: true });
  terraform("exit 0");
  for (const name of ["api", "web"]) initialize(name);
});
afterEach(() => identity.clearJournal());

beforeAll(() => {
  write("synthesized/cdktf.json", "{}");
  const build = (name: string) => (app: Parameters<Parameters<typeof synthApp>[0]>[0]) => {
    const stack = new TerraformStack(app, name);
    const password = SecretRef.env("PW");
    const serviceUser = { name: "deployer", password };
    const authUrl = "https://k.example";
    const service = new IdentityService(stack, "i", { authUrl, accountId: "1", serviceUser });
    new ServiceUserToken(stack, "token", { identity: service, scope: TokenScope.project("web") });
  };
  synthApp((app) => ["api", "web"].forEach((name) => void build(name)(app)), {
    outdir: path("synthesized/cdktf.out"),
  });
});
afterAll(async () => {
  await identity.stop();
  expect(scratch.leftovers()).toEqual([]);
  scratch.remove();
});

type Variables = Readonly<Record<string, string>>;

async function run(args: readonly string[], vars: Variables = {}, now = Date.now) {
  const result = await cli(["doctor", ...args], {
    version,
    env: { ...scratch.env, PATH: `${path("bin")}:${process.env.PATH}`, ...vars },
    workingFolder: path("project"),
    now,
  });
  expect(result.stdout + result.stderr).not.toContain("canary");
  return result;
}

/** What it finds, as `check status: text -> remedy`. */
async function findings(...given: Parameters<typeof run>): Promise<readonly string[]> {
  const [args, ...more] = given;
  const { stdout, stderr } = await run([...args, "--json"], ...more);
  expect(stderr).toBe("");
  return JSON.parse(stdout).map(
    ({ check, status, text, remedy }: Variables) => `${check} ${status}: ${text} -> ${remedy}`,
  );
}

/** Those that are neither good nor skipped. */
const faults = async (...given: Parameters<typeof run>) =>
  (await findings(...given)).filter((line) => /^\S+ (?:failed|warning)/.test(line));

test("prints a line for each check, and one for equal results of several stacks", async () => {
  const { exitCode, stdout, stderr } = await run(["--issue", "--project", "web"], openstack);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.replaceAll(/\d+ ms|[\d.]+:\d+|\d+\.\d+\.\d+/g, "N").split("\n")).toEqual([
    expect.stringMatching(/^ok {6}node {13}Node\.js N, linux_\w+, cdktf-iam-tokens N\.$/),
    "ok      terraform        Terraform vN.",
    "ok      project          Stacks: api, web.",
    "ok      environment      No variable leads secrets or Terraform elsewhere.",
    "ok      init             stacks api, web: Terraform accepts it, and starts its providers.",
    'ok      credentials      "deployer" of account "123456", by the variable OS_PASSWORD.',
    "ok      identity-service http://N/identity/v3 answers (200) in N.",
    "ok      clock            The clocks of this machine and N agree within a minute.",
    'ok      issue            A token for the project "web" was issued in N; it is valid for 1 d.',
    "",
  ]);
  expect(identity.issuedTokens()).toHaveLength(1);
});

const MINUTE = 60_000;

interface Given {
  readonly vars?: Variables;
  readonly args?: readonly string[];
  readonly now?: () => number;
  /** Breaks a part of the healthy project. */
  readonly broken?: () => void;
}

const node = (script: string) => () => write("bin/node", `#!/bin/sh\n${script}\n`, 0o755);

test.each<[string, RegExp, Given]>([
  [
    "a Node.js that is too old",
    /^node failed: The "node" in PATH is 18\.20\.4; the provider needs 20\.18\.1 or newer\./,
    { broken: node("echo v18.20.4") },
  ],
  [
    "a shim without a version for the folder of a stack",
    /^node failed: The "node" in PATH does not start \(exit code 126; no version is set\)/,
    {
      broken: node(
        `case $PWD in */stacks/*) echo no version is set >&2; exit 126; esac; echo v20.20.2`,
      ),
    },
  ],
  [
    "a shim that prints on the provider's own channel",
    /^node failed: The "node" in PATH prints "Now using node" before it starts/,
    { broken: node("echo Now using node; echo v20.20.2") },
  ],
  [
    "no Terraform",
    /^terraform failed: "no-such-program" is not in PATH\. -> .*TERRAFORM_BINARY_NAME=tofu/,
    { vars: { TERRAFORM_BINARY_NAME: "no-such-program" } },
  ],
  [
    "a version manager without a version",
    /^terraform failed: "terraform version" fails \(exit code 126\)\. no version is set/,
    { broken: () => terraform("exit 1", "echo 'no version is set' >&2; exit 126") },
  ],
  ...["TRACE", "debug", "JSON"].map((level): [string, RegExp, Given] => [
    `a log with secrets, of the level ${level}`,
    /^environment warning: TF_LOG/,
    { vars: { TF_LOG: level } },
  ]),
  [
    "an init that is led to a folder",
    /^environment warning: TF_CLI_ARGS or TF_CLI_ARGS_init has -plugin-dir: .* -> .* iam-tokens install DIR,/,
    { vars: { TF_CLI_ARGS_init: "-plugin-dir=/nix/store/x" } },
  ],
  [
    "what Terraform says of a stack, in its own words",
    /^init failed: stack web: "terraform validate" fails \(exit code 1\)\. Error: Oh\. it is -> Correct/,
    {
      broken: () =>
        terraform(
          `case $PWD in */web) echo "Error: Oh" >&2; echo >&2; echo it is >&2; exit 1; esac`,
        ),
    },
  ],
  [
    "an init that fails",
    /^init failed: stacks api, web: "terraform init" fails .*npm\.invalid\/cdktf-iam-tokens\/iam.* -> Run Terraform with iam-tokens run --/,
    {
      args: ["--init"],
      broken: () =>
        terraform(
          `[ "$1 $2" = "init -input=false" ] && echo "Error: no npm.invalid/cdktf-iam-tokens/iam" >&2; exit 1`,
        ),
    },
  ],
  [
    "a password that is missing",
    /^credentials failed: .*OS_PASSWORD/,
    { vars: { OS_PASSWORD: "" } },
  ],
  [
    "a cloud that is not there",
    /^credentials failed: .*ERR_CLOUD_NOT_FOUND/,
    { args: ["--cloud", "none"] },
  ],
  [
    "a password that the service refuses, requested once",
    /^issue failed: A token for the account: .*Possible causes:(?:\n- [^\n]+)+ \[ERR_CREDENTIALS_REJECTED\]/,
    { vars: { OS_PASSWORD: "canary-wrong" }, args: ["--issue"] },
  ],
  [
    "a service that does not run",
    /^identity-service failed: The connection to 127\.0\.0\.1:1 failed.*ERR_CONNECTION_FAILED/,
    { vars: { OS_AUTH_URL: "http://127.0.0.1:1" }, args: ["--issue"] },
  ],
  [
    "an address that is not allowed",
    /^credentials failed: .*ERR_ADDRESS_NOT_ALLOWED/,
    {
      vars: { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://cloud.api.example.com" },
      args: ["--issue"],
    },
  ],
  [
    "a clock that is off",
    /^clock warning: This machine's clock is 2 min (?:1 s )?ahead of/,
    { now: () => Date.now() + 2 * MINUTE },
  ],
  [
    "a clock that is wrong",
    /^clock failed: This machine's clock is (?:9 min 59 s|10 min) behind/,
    { now: () => Date.now() - 10 * MINUTE },
  ],
])("reports %s, and nothing else", async (_, reported, { broken, vars, args = [], now }) => {
  broken?.();
  const [fault, ...others] = await faults(args, { ...openstack, ...vars }, now);
  expect(others).toEqual([]);
  expect(fault).toMatch(reported);
  expect(fault).not.toMatch(/-> undefined$/);
});

test("Node.js is asked as the provider starts it: Bun in its place counts, and NODE_OPTIONS does not", async () => {
  node('[ -z "$NODE_OPTIONS" ] && [ "$*" = "-p process.version" ] && echo v26.3.0')();
  expect(await faults(["--only", "node"], { NODE_OPTIONS: "--require /no/such" })).toEqual([]);
});

test("a platform without a provider is a fault, unless the provider runs already", async () => {
  const checked = (vars?: Variables) =>
    onPlatform(process.platform, () => faults(["--only", "node"], vars), "riscv64");
  expect(await checked()).toEqual([
    expect.stringMatching(
      /^node failed: The provider is not for \w+_riscv64, but for linux_amd64, .* -> Run Terraform with iam-tokens run --/,
    ),
  ]);
  const running = { "npm.invalid/cdktf-iam-tokens/iam": {} };
  expect(await checked({ TF_REATTACH_PROVIDERS: JSON.stringify(running) })).toEqual([]);
});

test("a cached provider that is a link into a stack is a warning", async () => {
  const place = path(`cache/${OF}`);
  mkdirSync(dirname(place), { recursive: true });
  const check = () => faults(["--only", "environment"], { TF_PLUGIN_CACHE_DIR: path("cache") });
  mkdirSync(place);
  expect(await check()).toEqual([]);
  rmSync(place, { recursive: true });
  symlinkSync(stack("web"), place);
  expect(await check()).toEqual([
    expect.stringMatching(
      /^environment warning: .* is a link into .* iam-tokens install "\$TF_PLUGIN_/,
    ),
  ]);
});

describe("a gate that has checked nothing does not open", () => {
  test("of signing in: plain HCL is Terraform's to judge", async () => {
    write("plain/main.tf", 'provider "iam" {\n  password_env = "PW"\n}\n');
    mkdirSync(path("plain/.terraform"));
    const { exitCode, stdout } = await run(["../plain"]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^ok {6}init {13}stack plain: Terraform accepts it/m);
    expect(stdout).toMatch(/^skipped credentials .* are Terraform's to judge\.$/m);
    expect(stdout).toMatch(/-> Run terraform plan;/);
    expect((await run(["../plain", "--only", "node,init"])).exitCode).toBe(0);
  });

  test("of a stack that was not initialized: init is the next step, and Terraform is not asked", async () => {
    for (const name of ["api", "web"]) rmSync(stack(name, ".terraform"), { recursive: true });
    terraform("exit 1");
    const { exitCode, stdout } = await run(["--only", "terraform,init"]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^skipped init .* It was not initialized yet/m);
    expect(stdout).toMatch(/-> Run terraform init \(deploy does it\), or doctor with --init\./);
  });

  test("of anything: a folder with nothing in it", async () => {
    mkdirSync(path("bare"));
    expect(await faults(["../bare"])).toEqual([
      expect.stringMatching(
        /^project failed: .*\/bare has no .* there is nothing to check\. -> Synth/,
      ),
    ]);
    expect((await run(["../bare", "--only", "init"])).exitCode).toBe(1);
    expect((await run(["../bare", "--only", "init"], openstack)).exitCode).toBe(1);
    // Without a stack, the credentials alone are a subject.
    expect((await run(["../bare"], openstack)).exitCode).toBe(0);
  });
});

test("--json has no command for a terminal or a CI system", async () => {
  const name = "x\u001b[2J ::stop-commands::x ##vso[task]";
  write(`${name}/main.tf`, "");
  const { stdout } = await run([`../${name}`, "--only", "project", "--json"]);
  for (const sign of ["\u001b", "::stop", "##vso"]) expect(stdout).not.toContain(sign);
  expect(JSON.parse(stdout)).toMatchObject([{ text: expect.stringContaining("::stop") }]);
});

test("a project without cdktf.json is found by the folder that its program writes", async () => {
  renameSync(path("project/cdktf.out"), path("project/out-of-the-program"));
  rmSync(path("project/cdktf.json"));
  write("project/out-of-the-program/stacks/other/cdk.tf.json", "{}");
  expect(await findings(["--only", "project"])).toEqual([
    "project ok: Stacks: api, web. -> undefined",
  ]);
  expect(await findings(["out-of-the-program/stacks/web", "--only", "project"])).toEqual([
    "project ok: Stacks: web. -> undefined",
  ]);
});

test.each<[string, RegExp, readonly string[]]>([
  [
    "an unknown check",
    /--only names "nothing", which is not a check\. Allowed: node, terraform, /,
    ["--only", "nothing"],
  ],
  ["an empty project", /--project: the name is empty/, ["--issue", "--project", ""]],
  ["a project of no token", /--project is given without --issue/, ["--project", "web"]],
  ["an empty cloud", /--cloud: the name is empty/, ["--cloud", ""]],
  ["no folder, which is no project of --issue", /"none" is not a folder/, ["--issue", "none"]],
])("%s is a usage error", async (_, said, args) => {
  const stderr = expect.stringMatching(said);
  expect(await run(args)).toEqual({ exitCode: 2, stdout: "", stderr });
});

test("--cloud names the source", async () => {
  const auth = `{auth_url: "${identity.authUrl}", username: deployer, user_domain_name: "123456", password: ${PASSWORD}}`;
  write("project/clouds.yaml", `clouds:\n  c:\n    auth: ${auth}\n`);
  expect(await findings(["--cloud", "c", "--only", "credentials"])).toEqual([
    expect.stringMatching(/^credentials ok: "deployer" of account "123456", by .*clouds\.yaml/),
  ]);
});

describe("Terraform starts only files that are this package's own", () => {
  test.each<[string, string, () => void]>([
    [
      "a launcher of somebody else",
      `terraform.d/plugins/${OF}/${LAUNCHER}`,
      () => {
        // The stacks share its file.
        rmSync(stack("api", `terraform.d/plugins/${OF}/${LAUNCHER}`));
        writeFileSync(stack("api", `terraform.d/plugins/${OF}/${LAUNCHER}`), "#!/bin/sh\n");
      },
    ],
    [
      "another version, which the lock file selects",
      `.terraform/providers/npm.invalid/cdktf-iam-tokens/iam/0.0.9/${thisPlatform()}`,
      () => {
        const other = stack("api", `.terraform/providers/${OF.replace(version, "0.0.9")}`);
        mkdirSync(other, { recursive: true });
        terraform(
          `pwd >>${path("seen")}`,
          `case $PWD in */api) v=0.0.9;; *) v=${version};; esac; echo "{\\"provider_selections\\":{\\"npm.invalid/cdktf-iam-tokens/iam\\":\\"$v\\"}}"`,
        );
      },
    ],
  ])("%s is reported, and not started", async (_, file, change) => {
    rmSync(path("seen"), { force: true });
    terraform(`pwd >>${path("seen")}`);
    change();
    const [failed] = await faults(["--only", "init"]);
    expect(failed).toMatch(/^init failed: stack api: .* is not this package's: another version or/);
    expect(failed).toContain(`${JSON.stringify(stack("api", file))} is`);
    expect(failed).toMatch(/-> Synthesize again, then run init\. If it differs still,/);
    expect(readFileSync(path("seen"), "utf8")).toBe(`${stack("web")}\n`);
  });

  test("a link to a folder that has gone, and another version that nothing selects, are none of it", async () => {
    rmSync(stack("api", "terraform.d"), { recursive: true });
    mkdirSync(stack("web", `.terraform/providers/${OF.replace(version, "0.0.9")}`), {
      recursive: true,
    });
    terraform('case $PWD in */api) echo "Error: there is no package for it" >&2; exit 1; esac');
    expect(await faults(["--only", "init"])).toEqual([
      expect.stringMatching(/^init failed: stack api: .* there is no package .* -> Run init/),
    ]);
  });
});

test("Terraform runs in the stack's folder, with the user's own environment, and only --init runs init", async () => {
  terraform(`echo "$PWD $* $TF_CLI_ARGS_init" >>${path("calls")}`);
  const vars = { TF_CLI_ARGS_init: "-upgrade", TF_DATA_DIR: "data" };
  const calls = () => readFileSync(path("calls"), "utf8").trimEnd().split("\n");
  // The folder of init is another one.
  expect((await run(["--only", "init"], vars)).exitCode).toBe(1);
  expect(existsSync(path("calls"))).toBe(false);
  await run(["--only", "init", "--init"], vars);
  expect(calls()).toEqual(
    ["api", "web"].flatMap((name) => [
      `${stack(name)} init -input=false -no-color -upgrade`,
      `${stack(name)} validate -no-color -upgrade`,
    ]),
  );
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends Terraform with its children",
  async (signal) => {
    const started = path(`started-${signal}`);
    terraform(`sleep 600 & touch ${started}; sleep 600`);
    const running = startCommand(
      process.execPath,
      [join(packageRoot, "dist/cli/main.js"), "doctor", "--only", "init"],
      {
        cwd: path("project"),
        env: { ...scratch.env, PATH: `${path("bin")}:${process.env.PATH}` },
      },
    );
    while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 20));
    running.signalAlone(signal);
    expect((await running.finished).exitCode).toBeNull();
    expect(await stillRunning(scratch.marker)).toEqual([]);
  },
);
