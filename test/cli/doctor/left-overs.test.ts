import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { markNamespace } from "../../../lib/plugin/handover/left-behind";
import { SetUp } from "./set-up";

const MAIN = "npm.invalid/cdktf-iam-tokens/iam/0.1.0/linux_amd64/main.cjs";

let setUp: SetUp;
const children: ChildProcess[] = [];
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await setUp.stop();
});

test("a provider that serves a Terraform which is gone is found, with the way to end it", async () => {
  const main = setUp.write(MAIN, "setInterval(() => {}, 1000); process.stdout.write('up')");
  // No process has this start time.
  const child = spawn(
    process.execPath,
    [main, "handover", "/not/there", String(process.pid), "1", "1"],
    {
      env: setUp.scratch.env,
    },
  );
  children.push(child);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  const { faults, exitCode } = await setUp.diagnose(["--only", "left-overs"]);
  expect(faults.filter(({ remedy }) => remedy === `End it: kill ${child.pid}.`)).toEqual([
    expect.objectContaining({
      status: "cross",
      text: expect.stringContaining(`The process ${child.pid} `),
    }),
  ]);
  expect(exitCode).toBe(1);
});

test("folders of launches and runs that were killed are found; those of live ones and of other machines are left alone", async () => {
  const folder = (name: string) => {
    mkdirSync(join(setUp.scratch.tmp, name), { mode: 0o700 });
    return join(setUp.scratch.tmp, name);
  };
  const note = (host: string) => JSON.stringify({ version: "1", host, key: "00", digest: "00" });
  folder("tfp-live");
  folder("iam-tokens-4194304-0");
  markNamespace(folder("iam-tokens-4194304-1"));
  symlinkSync("pid:[1] another-machine", join(folder("iam-tokens-4194304-2"), "ns"));
  folder("tfp-dead");
  setUp.write("t/tfp-dead/run.json", note(hostname()), 0o600);
  folder("tfp-elsewhere");
  setUp.write("t/tfp-elsewhere/run.json", note("another-machine"), 0o600);
  const { faults } = await setUp.diagnose(["--only", "left-overs"]);
  const warnings = faults.filter(({ status }) => status === "warning");
  expect(warnings.map(({ text }) => /iam-tokens-4194304-\d|tfp-\w+/.exec(text)?.[0])).toEqual([
    "iam-tokens-4194304-1",
    "tfp-dead",
  ]);
});
