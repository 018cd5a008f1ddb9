import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
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

// A healthy project of two stacks, for a test to break, with a program in the place of Terraform;
// test/scenarios/doctor.test.ts has the real one.
const PASSWORD = "canary-password-of-the-doctor";
const STACKS = ["api", "web"];
const scratch = makeScratch();
const path = (name: string) => join(scratch.folder, name);
const stack = (name: string, file = "") => path(join("project/cdktf.out/stacks", name, file));
const ours = { ...scratch.env, PATH: `${path("bin")}:${process.env.PATH}`, PW: PASSWORD };
let identity: EmbeddedIdentityService;
/** The files of the stacks. */
let texts: readonly (readonly [path: string, text: string])[];

function write(name: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text, { mode });
}

/** Puts a program in the place of Terraform, with a script for `init` and `validate`. */
function terraform(script: string, version = "echo Terraform v1.11.4"): void {
  const cases = `case $1 in\nversion) ${version} ;;\n*) ${script} ;;\nesac`;
  write("bin/terraform", `#!/bin/sh\n${cases}\n`, 0o755);
}

/** Changes the provider blocks of both stacks. */
const edit = (was: RegExp, is: string) => () => {
  for (const name of STACKS) {
    const file = stack(name, "cdk.tf.json");
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(was);
    writeFileSync(file, text.replace(was, is));
  }
};

/** Makes it healthy again. */
function mend(): void {
  rmSync(path("bin"), { recursive: true, force: true });
  write("project/cdktf.json", "{}");
  terraform("exit 0");
  for (const [file, text] of texts) writeFileSync(file, text);
}

function synthesize(): void {
  synthApp(
    (app) => {
      for (const name of STACKS) {
        const stack = new TerraformStack(app, name);
        const service = new IdentityService(stack, "identity", {
          authUrl: identity.authUrl,
          accountId: "123456",
          serviceUser: { name: "deployer", password: SecretRef.env("PW") },
        });
        const scope = TokenScope.project("web");
        new ServiceUserToken(stack, "token", { identity: service, scope });
      }
    },
    { outdir: path("project/cdktf.out") },
  );
}

beforeAll(async () => {
  const permission = { account: true, projects: ["web"] };
  const serviceUsers = [{ name: "deployer", password: PASSWORD, permission }];
  identity = await EmbeddedIdentityService.start({ accountId: "123456", serviceUsers });
  write("project/cdktf.json", "{}");
  synthesize();
  texts = STACKS.map((name) => {
    const file = stack(name, "cdk.tf.json");
    return [file, readFileSync(file, "utf8")];
  });
});
beforeEach(mend);
afterEach(() => {
  identity.clearJournal();
  jest.restoreAllMocks();
});
afterAll(async () => {
  await identity.stop();
  expect(scratch.leftovers()).toEqual([]);
  scratch.remove();
});

type Variables = Readonly<Record<string, string>>;

async function run(args: readonly string[], vars: Variables = {}, now = Date.now) {
  const result = await cli(["doctor", ...args], {
    version: packageVersion(),
    env: { ...ours, ...vars },
    workingFolder: path("project"),
    now,
  });
  expect(result.stdout + result.stderr).not.toContain("canary");
  return result;
}

/** What it finds, as `check status: text -> remedy`. */
async function findings(...given: Parameters<typeof run>): Promise<readonly string[]> {
  const [args, ...more] = given;
  const { exitCode, stdout, stderr } = await run([...args, "--json"], ...more);
  const lines = JSON.parse(stdout).map(
    ({ check, status, text, remedy }: Variables) => `${check} ${status}: ${text} -> ${remedy}`,
  );
  const isSkipped = (line: string) => /^\S+ skipped/.test(line);
  const failed = lines.some((line: string) => /^\S+ failed/.test(line)) || lines.every(isSkipped);
  expect({ exitCode, stderr }).toEqual({ exitCode: failed ? 1 : 0, stderr: "" });
  return lines;
}

/** Those that are neither good nor skipped. */
const faults = async (...given: Parameters<typeof run>) =>
  (await findings(...given)).filter((line) => /^\S+ (?:failed|warning)/.test(line));

const SERVICE = "provider iam.identity of stacks api, web";

test("prints a line for each check of a healthy project, and one for equal results of several stacks", async () => {
  const { exitCode, stdout, stderr } = await run(["--issue"]);
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
  expect(identity.issuedTokens()).toHaveLength(1);
});

interface Given {
  readonly vars?: Variables;
  readonly args?: readonly string[];
  readonly now?: () => number;
  /** Breaks a part of the healthy project. */
  readonly broken?: () => void;
}

const MINUTE = 60_000;
const PASSWORD_ENV = /"password_env": "[^"]*"/;

test.each<[string, RegExp, Given]>([
  [
    "a Node.js that is too old",
    /^node failed: The "node" in PATH is 18\.20\.4; the provider needs 20\.18\.1 or newer\./,
    { broken: () => write("bin/node", "#!/bin/sh\necho v18.20.4\n", 0o755) },
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
  [
    "nothing that is synthesized",
    /^project failed: .* no synthesized stack with the provider\. -> Run cdktf synth first/,
    { broken: () => write("project/cdktf.json", '{ "output": "elsewhere" }') },
  ],
  [
    "no folder for temporary files",
    /^init failed: .*No folder can be made for temporary files: "\/no\/such\/folder" \(ENOENT.*\)\. -> Set TMPDIR/,
    {
      vars: { TMPDIR: "/no/such/folder" },
      args: ["--only", "init"],
      broken: () =>
        jest.spyOn(fs, "mkdtempSync").mockImplementation(() => {
          throw Object.assign(new Error(), { code: "ENOSPC" });
        }),
    },
  ],
  ["a log with secrets", /^environment warning: TF_LOG/, { vars: { TF_LOG: "TRACE" } }],
  [
    "variables with which the OpenStack provider does not use its token",
    /^environment warning: stacks api, web: OS_CLOUD, OS_TENANT_NAME are set: .* run --withhold OS_CLOUD --withhold OS_TENANT_NAME --/,
    {
      vars: { OS_CLOUD: "x", OS_TENANT_NAME: "web", OS_PASSWORD: "harmless" },
      broken: edit(
        /"provider": *\{/,
        `$&"openstack": [{ "token": "\${ephemeral.iam_token.token.token}" }],`,
      ),
    },
  ],
  [
    "a variable that is not set",
    /^credentials failed: provider iam\.identity of stacks api, web: .*PW .* is empty/,
    { vars: { PW: "" } },
  ],
  [
    "a password that the service refuses, requested once",
    /^issue failed: .* A token for the project "web": .*Possible causes:(?:\n- [^\n]+)+ \[ERR_CREDENTIALS_REJECTED\]/,
    { vars: { PW: "canary-wrong" }, args: ["--issue"] },
  ],
  [
    "a command for the password, run for a requested token only",
    /^credentials failed: .*exited with 3/,
    {
      broken: edit(PASSWORD_ENV, '"password_command": ["/bin/sh", "-c", "exit 3"]'),
      args: ["--issue", "--only", "credentials"],
    },
  ],
  [
    "a service that does not run",
    /^identity-service failed: The connection to 127\.0\.0\.1:1 failed.*ERR_CONNECTION_FAILED/,
    {
      broken: edit(/"auth_url": "[^"]*"/, '"auth_url": "http://127.0.0.1:1"'),
      args: ["--issue"],
    },
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
    "a wrong path",
    /^identity-service warning: .* answers \(404\) .* -> Check the path\./,
    { broken: edit(/("auth_url": "[^"]*)"/, '$1/elsewhere/v3"') },
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
  const [fault, ...others] = await faults(args, vars, now);
  expect(others).toEqual([]);
  expect(fault).toMatch(reported);
  expect(fault).not.toMatch(/-> undefined$/);
});

test("a platform without a provider is a fault, unless the provider runs already", async () => {
  const node = (vars?: Variables) =>
    onPlatform(process.platform, () => faults(["--only", "node"], vars), "riscv64");
  expect(await node()).toEqual([
    expect.stringMatching(
      /^node failed: The provider is not for \w+_riscv64, but for linux_amd64, .* -> Run Terraform with iam-tokens run --/,
    ),
  ]);
  const running = { "npm.invalid/cdktf-iam-tokens/iam": {} };
  expect(await node({ TF_REATTACH_PROVIDERS: JSON.stringify(running) })).toEqual([]);
});

test("what only Terraform knows is skipped, but the address is contacted; a command is not run", async () => {
  const both = ["--only", "credentials,identity-service"];
  edit(PASSWORD_ENV, '"password": "${var.pw}"')();
  expect(await findings(both)).toEqual([
    `credentials skipped: ${SERVICE}: Only Terraform knows password. -> undefined`,
    expect.stringMatching(/^identity-service ok: http:.* answers/),
  ]);
  edit(/("auth_url": )"[^"]*"/, '$1"${var.url}"')();
  expect(await findings(both)).toEqual([
    `credentials skipped: ${SERVICE}: Only Terraform knows auth_url. -> undefined`,
    expect.stringMatching(/^identity-service skipped: No address is known/),
  ]);
  mend();
  edit(PASSWORD_ENV, '"password_command": ["/no/such"]')();
  expect((await findings(both))[0]).toMatch(
    /by password_command of the provider block, which was not run: --issue runs it\./,
  );
});

test("without a stack, the environment is checked; plain HCL is tried by Terraform alone", async () => {
  mkdirSync(path("empty"));
  const environment = {
    OS_AUTH_URL: identity.authUrl,
    OS_USERNAME: "deployer",
    OS_USER_DOMAIN_NAME: "123456",
  };
  expect(await faults(["../empty"], environment)).toEqual([
    expect.stringMatching(/^credentials failed: the environment: .*but lacks the password/),
  ]);
  const whole = { ...environment, OS_PASSWORD: PASSWORD };
  expect(await faults(["../empty", "--issue", "web"], whole)).toEqual([]);
  write("plain/main.tf", '# npm.invalid/cdktf-iam-tokens/iam\nprovider "iam" {}\n');
  terraform('cat "${1#-chdir=}/main.tf.json" >&2; exit 1');
  const [plain] = await faults(["../plain", "--only", "init"]);
  expect(plain).toMatch(
    /^init failed: stack plain: .*"source":"npm\.invalid\/cdktf-iam-tokens\/iam"\}/,
  );
});

test("a project without cdktf.json is found by the folder that its program writes; one that is not there is a fault", async () => {
  renameSync(path("project/cdktf.out"), path("project/out-of-the-program"));
  rmSync(path("project/cdktf.json"));
  expect(await findings(["--only", "project"])).toEqual([
    "project ok: Stacks: api, web. -> undefined",
  ]);
  renameSync(path("project/out-of-the-program"), path("project/cdktf.out"));
  mkdirSync(path("bare"));
  expect(await faults(["../bare"])).toEqual([
    expect.stringMatching(
      /^project failed: .*\/bare has no .* there is nothing to check\. -> Synth/,
    ),
  ]);
  expect(await run(["../bare", "--only", "init,credentials"])).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/\nNothing was checked\.\n$/),
  });
});

test.each<[string, RegExp, readonly string[]]>([
  [
    "an unknown check",
    /--only names "nothing", which is not a check\. Allowed: node, terraform, /,
    ["--only", "nothing"],
  ],
  ["an empty project", /--issue: the project is empty/, ["--issue", ""]],
  ["no folder", /"none" is not a folder/, ["none"]],
  [
    "a stack that is not JSON",
    /The file ".*web\/cdk\.tf\.json" is not JSON\. Synthesize again/,
    [],
  ],
])("%s is a usage error", async (_, said, args) => {
  writeFileSync(stack("web", "cdk.tf.json"), "canary");
  const stderr = expect.stringMatching(said);
  expect(await run(args)).toEqual({ exitCode: 2, stdout: "", stderr });
});

test("the trial folder is made where no other user can put something in its place", async () => {
  const open = path("open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  terraform(`echo "$1" >>${path("where")}`);
  expect(await faults(["--only", "init"], { TMPDIR: open, XDG_RUNTIME_DIR: path("t") })).toEqual(
    [],
  );
  const wanted = `-chdir=${path("t")}/iam-doctor-`;
  expect(
    readFileSync(path("where"), "utf8")
      .split("\n")
      .map((line) => line.slice(0, wanted.length)),
  ).toEqual([wanted, wanted, ""]);
});

const PROVIDER = "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam";
const version = packageVersion();
const launcher = `${PROVIDER}/${version}/${thisPlatform()}/terraform-provider-iam_v${version}`;

test.each<[string, string, () => void]>([
  [
    "a launcher of somebody else",
    launcher,
    () => {
      // The stacks share its file.
      rmSync(stack("api", launcher));
      writeFileSync(stack("api", launcher), "#!/bin/sh\n");
    },
  ],
  // To the same files, which may be others when Terraform starts them.
  ...[dirname(launcher), "terraform.d"].map((place): [string, string, () => void] => [
    `a link in place of ${place}`,
    place,
    () => {
      const elsewhere = join(mkdtempSync(path("elsewhere-")), "folder");
      renameSync(stack("api", place), elsewhere);
      symlinkSync(elsewhere, stack("api", place));
    },
  ]),
])("%s in a stack's folder is reported, and nothing of it is started", async (_, file, change) => {
  rmSync(path("seen"), { force: true });
  synthesize();
  change();
  terraform(`pwd >>${path("seen")}`);
  expect(await faults(["--only", "init"])).toEqual([
    `init failed: stack api: ${JSON.stringify(stack("api", file))} is not this package's, or is missing: Terraform would refuse it by the lock file's hash, and run it without one. It was not started here. -> Find out who changed it. Then remove ${stack("api", PROVIDER)}, and synthesize again.`,
  ]);
  expect(new Set(readFileSync(path("seen"), "utf8").split("\n"))).toEqual(
    new Set([stack("web"), ""]),
  );
  rmSync(stack("api", "terraform.d"), { recursive: true, force: true });
  synthesize();
});

test("a version that is an object is no fault of the program", async () => {
  terraform("");
  edit(new RegExp(`"version": "${version}"`), '"version": {"toString": 1}')();
  expect(await faults(["--only", "init"])).toEqual([]);
});

test("only this version of the provider is within Terraform's reach", async () => {
  const elsewhere = stack("api", `${PROVIDER}/0.0.9/${thisPlatform()}`);
  mkdirSync(elsewhere, { recursive: true });
  terraform(`cd "\${1#-chdir=}"; ls ${PROVIDER} >>${path("versions")}`);
  expect(await faults(["--only", "init"])).toEqual([]);
  expect(readFileSync(path("versions"), "utf8")).toBe(`${version}\n`.repeat(2));
  edit(new RegExp(`"version": "${version}"`), '"version": "0.0.9"')();
  const [other] = await findings(["--only", "init"]);
  expect(other).toMatch(/^init skipped: stack api: Not tried: the stack has version "0\.0\.9"/);
  rmSync(stack("api", `${PROVIDER}/0.0.9`), { recursive: true });
});

test("a plugin cache that Terraform cannot write is the user's own in the trial: Terraform reports it", async () => {
  const cache = path("cache");
  mkdirSync(cache);
  terraform(`echo "Error: mkdir $TF_PLUGIN_CACHE_DIR/x: permission denied" >&2; exit 1`);
  const trial = () => faults(["--only", "init"], { TF_PLUGIN_CACHE_DIR: cache });
  expect((await trial()).join()).toMatch(/iam-doctor-.*permission denied.* -> chmod \+x/);
  const { accessSync: access } = fs;
  jest.spyOn(fs, "accessSync").mockImplementation((name, mode) => {
    if (String(name).startsWith(cache)) throw new Error();
    access(name, mode);
  });
  expect((await trial()).join()).toMatch(
    new RegExp(
      `mkdir ${cache}/x: .* -> Run Terraform with iam-tokens run --, .*iam-tokens install DIR`,
    ),
  );
  // It may come with a checkout, and lead to a folder of another user.
  mkdirSync(join(cache, PROVIDER.slice("terraform.d/plugins/".length), version, thisPlatform()), {
    recursive: true,
  });
  expect((await trial()).join()).toMatch(
    /\/cache\/.* is not this package's, .* It was not started here\..* -> .*TF_PLUGIN_CACHE_DIR/,
  );
});

test("the trial folder has the stack's requirement, lock file and provider, and no cache of the user's; nothing stays", async () => {
  terraform(
    `(pwd; echo "$*"; env; cd "\${1#-chdir=}"; ls -A; cat *.json .terraform.lock.hcl; find terraform.d -type l; for root in .terraform/providers cache; do at=$root/npm.invalid/cdktf-iam-tokens/iam; mkdir -p $at/1.0.0/unpacked $at/1.0.1; echo >$at/1.0.0/unpacked/file; ln -sfn ${stack("api")} $at/1.0.1/link; done; echo >.terraform.lock.hcl.tmp1) >>${path("seen")}`,
  );
  const before = readdirSync(stack("api"), { recursive: true }).sort();
  const vars = {
    TF_CLI_CONFIG_FILE: "own.tfrc",
    TF_CLI_ARGS_init: "-upgrade",
    TF_DATA_DIR: "/elsewhere",
    TF_PLUGIN_CACHE_DIR: path("t"),
    TF_WORKSPACE: "blue",
  };
  expect(await faults(["--only", "init"], vars)).toEqual([]);
  expect(readdirSync(stack("api"), { recursive: true }).sort()).toEqual(before);
  const text = readFileSync(path("seen"), "utf8");
  expect(text).toMatch(/-chdir=\S+ init -backend=false -input=false -no-color\n/);
  expect(text).toMatch(/-chdir=\S+ validate -no-color\n/);
  expect(text).toContain(`${stack("api")}\n`);
  expect(text).toMatch(/"required_version":">= 1\.1\d/);
  expect(text).toContain('provider "npm.invalid/cdktf-iam-tokens/iam" {');
  expect(text).toContain("TF_CLI_CONFIG_FILE=own.tfrc\n");
  expect(text).not.toMatch(/^TF_(?:CLI_ARGS|DATA_DIR|WORKSPACE)/m);
  expect(text).not.toContain(`TF_PLUGIN_CACHE_DIR=${path("t")}\n`);
  expect(text).toContain(`${PROVIDER}/${version}/${thisPlatform()}\n`);
  // The two stacks differ in nothing that matters.
  expect(text.match(/ validate /g)).toHaveLength(1);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends Terraform with its children, and removes the folder",
  async (signal) => {
    const started = path(`started-${signal}`);
    terraform(`sleep 600 & touch ${started}; sleep 600`);
    const running = startCommand(
      process.execPath,
      [join(packageRoot, "dist/cli/main.js"), "doctor", "--only", "init"],
      { cwd: path("project"), env: ours },
    );
    while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(scratch.leftovers()).not.toEqual([]);
    running.signalAlone(signal);
    expect((await running.finished).exitCode).toBeNull();
    expect(scratch.leftovers()).toEqual([]);
    expect(await stillRunning(scratch.marker)).toEqual([]);
  },
);
