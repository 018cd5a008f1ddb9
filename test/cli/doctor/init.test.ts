import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../../../lib/delivery/package-root";
import { startCommand } from "../../support/command";
import { stillRunning } from "../../support/processes";
import { packageRoot } from "../../support/project";
import { only } from "./one-fault";
import { SetUp } from "./set-up";

// With a program in the place of Terraform; test/scenarios/doctor.test.ts has the real one.
let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(async () => {
  expect(setUp.scratch.leftovers()).toEqual([]);
  await setUp.stop();
});

const init = (vars: Record<string, string> = {}) => setUp.diagnose(["--only", "init"], { vars });

test("a trial folder has the requirement of the stack, its lock entry and its provider", async () => {
  const seen = join(setUp.scratch.folder, "seen");
  setUp.terraform(
    "Terraform v1.11.4",
    `(pwd; echo "$*"; env; cd "\${1#-chdir=}"; ls -A; cat *.json .terraform.lock.hcl; ls terraform.d/plugins) >>${seen}`,
  );
  const { findings } = await init({
    TF_CLI_CONFIG_FILE: "own.tfrc",
    TF_CLI_ARGS_init: "-upgrade",
    TF_DATA_DIR: "/elsewhere",
    TF_LOG: "",
    TF_PLUGIN_CACHE_DIR: "/cache",
    TF_WORKSPACE: "blue",
  });
  expect(findings).toMatchObject([{ check: "init", status: "ok" }]);
  const text = readFileSync(seen, "utf8");
  expect(text).toMatch(/-chdir=\S+ init -backend=false -input=false -no-color\n/);
  expect(text).toMatch(/-chdir=\S+ validate -no-color\n/);
  expect(text).toContain(`${setUp.stackFolder}\n`);
  expect(text).toContain(`"version":"${packageVersion()}"`);
  expect(text).toContain('provider "npm.invalid/cdktf-iam-tokens/iam" {');
  expect(text).toContain("TF_CLI_CONFIG_FILE=own.tfrc\n");
  expect(text).not.toMatch(/^TF_(?:CLI_ARGS|DATA_DIR|LOG|WORKSPACE)/m);
  expect(text).not.toContain("TF_PLUGIN_CACHE_DIR=/cache");
});

test("what Terraform puts into the folder is removed, and nothing behind its links", async () => {
  setUp.terraform(
    "Terraform v1.11.4",
    `cd "\${1#-chdir=}"; for root in .terraform/providers cache; do
      at=$root/npm.invalid/cdktf-iam-tokens/iam; mkdir -p $at/0.1.0/other $at/0.0.9
      echo unpacked >$at/0.1.0/other/file; ln -sfn ${setUp.stackFolder} $at/0.0.9/link
    done; echo >.terraform.lock.hcl.tmp1`,
  );
  const before = readdirSync(setUp.stackFolder, { recursive: true }).sort();
  expect((await init()).faults).toEqual([]);
  expect(readdirSync(setUp.stackFolder, { recursive: true }).sort()).toEqual(before);
});

test("Terraform's error is repeated, without what may be secret in an address", async () => {
  setUp.terraform(
    "Terraform v1.11.4",
    `printf 'Error: Failed to query\\n\\nnot found in any of the search locations\\n\\n  - https://u:canary@mirror/\\n\\nTo see which modules are\\nthere' >&2; exit 1`,
  );
  expect(only(await init())).toMatch(
    /^init failed: "terraform" init fails for the provider of the stack "web": Error: Failed to query\. not found in any of the search locations\n- https:\/\/…@mirror\/ -> Run Terraform with iam-tokens run --, .*install the provider \(iam-tokens install DIR\)/,
  );
});

test("stacks that differ in nothing that matters are tried once", async () => {
  const seen = join(setUp.scratch.folder, "seen");
  setUp.terraform("Terraform v1.11.4", `echo "$2" >>${seen}`);
  symlinkSync(setUp.stackFolder, join(setUp.stackFolder, "../twin"));
  await setUp.diagnose(["--only", "init"]);
  // For the lines, and for JSON.
  expect(readFileSync(seen, "utf8")).toBe("init\nvalidate\n".repeat(2));
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends Terraform with its children, and removes the folder",
  async (signal) => {
    const { scratch } = setUp;
    const started = join(scratch.folder, "started");
    setUp.terraform("Terraform v1.11.4", `sleep 600 & touch ${started}; sleep 600`);
    const running = startCommand(
      process.execPath,
      [join(packageRoot, "dist/cli/main.js"), "doctor", "--only", "init", setUp.folder],
      {
        cwd: setUp.folder,
        env: { ...scratch.env, PATH: `${scratch.folder}/bin:${process.env.PATH}` },
      },
    );
    while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(scratch.leftovers()).not.toEqual([]);
    running.signalAlone(signal);
    expect((await running.finished).endedBy).toBe(signal);
    expect(await stillRunning(scratch.marker)).toEqual([]);
  },
);
