import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "../../../lib";
import { packageVersion } from "../../../lib/delivery/package-root";
import { thisPlatform } from "../../../lib/delivery/platforms";
import { startCommand } from "../../support/command";
import { stillRunning } from "../../support/processes";
import { packageRoot } from "../../support/project";
import { makeScratch } from "../../support/scratch";
import { synthApp } from "../../support/synth";
import { cli } from "../run-cli";

// A project of two stacks, which a program in the place of Terraform judges;
// test/scenarios/doctor.test.ts has the real one.
const scratch = makeScratch();
const path = (name: string) => join(scratch.folder, name);
const stack = (name: string, file = "") => path(join("project/cdktf.out/stacks", name, file));

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

beforeEach(() => {
  for (const name of ["bin", "project"]) rmSync(path(name), { recursive: true, force: true });
  cpSync(path("synthesized"), path("project"), { recursive: true });
  terraform("exit 0");
  for (const name of ["api", "web"]) initialize(name);
});

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
afterAll(() => {
  expect(scratch.leftovers()).toEqual([]);
  scratch.remove();
});

type Variables = Readonly<Record<string, string>>;

async function run(args: readonly string[], vars: Variables = {}) {
  const result = await cli(["doctor", ...args], {
    version,
    env: { ...scratch.env, PATH: `${path("bin")}:${process.env.PATH}`, ...vars },
    workingFolder: path("project"),
  });
  expect(result.stdout + result.stderr).not.toContain("canary");
  return result;
}

test("of a folder that does not exist says so", async () => {
  expect(await run(["nowhere"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `There is no folder "${path("project/nowhere")}". Give the folder of a project or of a stack. [ERR_USAGE]\n`,
  });
});

test("prints a line for each check, and what it does not find", async () => {
  expect(await run([])).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: "node: well\nterraform: well\nstack api: well\nstack web: well\n",
  });
  mkdirSync(path("bare"), { recursive: true });
  const { exitCode, stdout } = await run(["../bare"]);
  expect([exitCode, stdout]).toEqual([
    1,
    expect.stringMatching(/stacks: There is none\.\n {4}-> /),
  ]);
  write("tofu/main.tofu", "");
  expect((await run(["../tofu"])).stdout).toContain("stack tofu: It was not initialized yet");
});

const node = (script: string) => () => write("bin/node", `#!/bin/sh\n${script}\n`, 0o755);

test.each<[string, RegExp, () => void, Variables?]>([
  [
    "a Node.js that is too old",
    /^node: "node" in PATH prints "v18\.20\.4" as its version\.\n {4}-> Install Node\.js 20\.18\.1/,
    node("echo v18.20.4"),
  ],
  [
    "a shim without a version for the folder of a stack",
    /^node: "node -p process\.version" fails \(126\)\. no version is set\n/,
    node(`case $PWD in */stacks/*) echo no version is set >&2; exit 126; esac; echo v20.20.2`),
  ],
  [
    "a shim that prints on the provider's own channel",
    /^node: "node" in PATH prints "Now using node/,
    node("echo Now using node; echo v20.20.2"),
  ],
  [
    "no Terraform",
    /^terraform: "no-such-program version" fails .*\n {4}-> Install/m,
    () => {},
    { TERRAFORM_BINARY_NAME: "no-such-program" },
  ],
  [
    "what Terraform says of a stack, in its own words",
    /^stack web: "terraform validate -no-color" fails \(1\)\. Error: Oh it is\n {4}-> Correct/m,
    () =>
      terraform(`case $PWD in */web) echo "Error: Oh" >&2; echo >&2; echo it is >&2; exit 1; esac`),
  ],
  [
    "a stack that was not initialized",
    /^stack web: It was not initialized yet: .*\n {4}-> Run terraform init/m,
    () => rmSync(stack("web", ".terraform"), { recursive: true }),
  ],
  [
    "a provider that has ended, also to a stack that was not initialized",
    /^stack web: .* fails \(1\)\. Failed to reattach\n {4}-> Unset TF_REATTACH_PROVIDERS/m,
    () => {
      rmSync(stack("web", ".terraform"), { recursive: true });
      terraform("echo Failed to reattach >&2; exit 1");
    },
    { TF_REATTACH_PROVIDERS: "{}" },
  ],
])("reports %s", async (_, reported, broken, vars = {}) => {
  broken();
  const { exitCode, stdout } = await run([], vars);
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(reported)]);
});

test("Node.js is asked as the provider starts it: NODE_OPTIONS does not count", async () => {
  node('[ -z "$NODE_OPTIONS" ] && [ "$*" = "-p process.version" ] && echo v26.3.0')();
  const { stdout } = await run([], { NODE_OPTIONS: "--require /no/such" });
  expect(stdout).toMatch(/^node: well/);
});

describe("Terraform starts only files that are this package's own", () => {
  test.each<[string, string, () => void]>([
    [
      "a launcher of somebody else, as long as ours",
      `terraform.d/plugins/${OF}/${LAUNCHER}`,
      () => {
        const launcher = stack("api", `terraform.d/plugins/${OF}/${LAUNCHER}`);
        const content = readFileSync(launcher).fill("#");
        // The stacks share its file.
        rmSync(launcher);
        writeFileSync(launcher, content);
      },
    ],
    [
      "a link to the launcher",
      `terraform.d/plugins/${OF}/${LAUNCHER}`,
      () => {
        const launcher = stack("api", `terraform.d/plugins/${OF}/${LAUNCHER}`);
        cpSync(launcher, path("launcher"));
        rmSync(launcher);
        symlinkSync(path("launcher"), launcher);
      },
    ],
    [
      "a file that is not the provider's",
      `terraform.d/plugins/${OF}/a.cjs`,
      () => writeFileSync(stack("api", `terraform.d/plugins/${OF}/a.cjs`), ""),
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
    const { exitCode, stdout } = await run([]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`${JSON.stringify(stack("api", file))} is not this package's.`);
    expect(readFileSync(path("seen"), "utf8")).toBe(`${stack("web")}\n`);
  });

  test("a link to a folder that has gone, and another version that nothing selects, are none of it", async () => {
    rmSync(stack("api", "terraform.d"), { recursive: true });
    mkdirSync(stack("web", `.terraform/providers/${OF.replace(version, "0.0.9")}`), {
      recursive: true,
    });
    terraform('case $PWD in */api) echo "Error: there is no package for it" >&2; exit 1; esac');
    expect((await run([])).stdout).toMatch(
      /^stack api: .* there is no package .*\n {4}-> Run init .*\nstack web: well/m,
    );
  });
});

test("SIGINT ends Terraform with its children", async () => {
  const started = path("started");
  terraform(`sleep 600 & touch ${started}; sleep 600`);
  const running = startCommand(
    process.execPath,
    [join(packageRoot, "dist/cli/main.js"), "doctor"],
    {
      cwd: path("project"),
      env: { ...scratch.env, PATH: `${path("bin")}:${process.env.PATH}` },
    },
  );
  while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 20));
  running.signalAlone("SIGINT");
  expect((await running.finished).exitCode).toBeNull();
  expect(await stillRunning(scratch.marker)).toEqual([]);
});
