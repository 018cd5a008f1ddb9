import { chmodSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformVariable } from "cdktf";
import { packageVersion } from "../../../lib/delivery/package-root";
import { writeValueFile } from "../../../lib/delivery/values/value-file";
import { edit, only } from "./one-fault";
import { SetUp } from "./set-up";

// Each test breaks one part of a healthy project, and expects exactly this fault.
let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

const platform = `linux_${process.arch === "x64" ? "amd64" : "arm64"}`;
const launcher = () => `terraform-provider-iam_v${packageVersion()}`;
const providerFolder = () => join(setUp.pluginFolder, packageVersion(), platform);
const lockFile = () => join(setUp.stackFolder, ".terraform.lock.hcl");

describe("The project", () => {
  test("is not synthesized", async () => {
    rmSync(join(setUp.folder, "cdktf.out"), { recursive: true });
    expect(only(await setUp.diagnose())).toMatch(
      /^project failed: .* no synthesized stack\. -> Run cdktf synth/,
    );
  });

  test("has an invalid cdktf.json", async () => {
    setUp.write("project/cdktf.json", "{");
    expect(only(await setUp.diagnose())).toMatch(
      /^project failed: cdktf\.json is not a JSON object/,
    );
  });

  test("has another output folder, which is followed", async () => {
    renameSync(join(setUp.folder, "cdktf.out"), join(setUp.folder, "built"));
    setUp.write("project/cdktf.json", JSON.stringify({ output: "built" }));
    expect((await setUp.diagnose()).faults).toEqual([]);
  });

  test("has a stack that is not JSON", async () => {
    writeFileSync(join(setUp.stackFolder, "cdk.tf.json"), '{"terraform": ');
    expect((await setUp.diagnose()).faults[0]).toMatchObject({
      check: "project",
      text: expect.stringContaining("web/cdk.tf.json"),
    });
  });

  test("lacks the requirement", async () => {
    edit(join(setUp.stackFolder, "cdk.tf.json"), (text) =>
      text.replace('"required_providers"', '"required"'),
    );
    expect(only(await setUp.diagnose())).toMatch(
      /^required-providers failed: .* does not require it: Terraform would look for hashicorp\/iam/,
    );
  });

  test("was synthesized by another version", async () => {
    const other = `${packageVersion()}-other`;
    edit(join(setUp.stackFolder, "cdk.tf.json"), (text) =>
      text.replaceAll(`"version": "${packageVersion()}"`, `"version": "${other}"`),
    );
    const { faults } = await setUp.diagnose();
    expect(faults.map(({ check }) => check)).toEqual(["required-providers", "provider-files"]);
    expect(faults[0]?.text).toContain(`requires version ${other}`);
  });
});

describe("The provider's files", () => {
  test("have lost the run bit", async () => {
    chmodSync(join(providerFolder(), launcher()), 0o644);
    expect(only(await setUp.diagnose())).toMatch(
      /^provider-files failed: The launcher of the stack "web" is not executable.* -> chmod \+x \/\S+terraform-provider-iam_v[\d.]+, or/,
    );
  });

  test("are missing for this platform", async () => {
    rmSync(providerFolder(), { recursive: true });
    expect(only(await setUp.diagnose())).toMatch(
      /^provider-files failed: The folder of the stack "web" does not contain the provider [\d.]+ for linux_.* -> Synthesize again/,
    );
  });

  test("are missing for all platforms", async () => {
    rmSync(join(setUp.stackFolder, "terraform.d"), { recursive: true });
    expect(only(await setUp.diagnose())).toMatch(
      /^provider-files failed: The folder of the stack "web" does not contain the provider .* -> Synthesize again/,
    );
  });

  test("differ from the package, and therefore from the lock file", async () => {
    const path = join(providerFolder(), "provider.cjs");
    const text = readFileSync(path);
    rmSync(path);
    writeFileSync(path, Buffer.concat([text, Buffer.from("\n")]));
    const { faults, exitCode } = await setUp.diagnose();
    expect(faults.map(({ check }) => check)).toEqual(["provider-files", "lock-files"]);
    expect(exitCode).toBe(1);
  });
});

test("Another provider in the folder of plain HCL is not expected to be this one", async () => {
  setUp.write(
    "plain/main.tf",
    'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n',
  );
  setUp.write("plain/terraform.d/plugins/example.com/other/other/1.0.0/linux_amd64/x", "");
  expect((await setUp.diagnose(["../plain"])).faults).toEqual([]);
});

describe("The lock file", () => {
  test("has another hash", async () => {
    edit(lockFile(), (text) => text.replace(/"h1:.{4}/g, '"h1:AAAA'));
    expect(only(await setUp.diagnose())).toMatch(
      /^lock-files failed: .* has a hash that differs from the provider's.* -> Synthesize again/,
    );
  });

  test("has another version", async () => {
    edit(lockFile(), (text) => text.replace(/(version\s*= )"[^"]*"/, '$1"0.0.1"'));
    expect(only(await setUp.diagnose())).toMatch(
      /^lock-files failed: .* has version 0\.0\.1 of the provider/,
    );
  });

  test("has conflict markers", async () => {
    edit(lockFile(), (text) => `<<<<<<< HEAD\n${text}`);
    expect(only(await setUp.diagnose())).toMatch(/^lock-files failed: .*conflict markers/);
  });
});

describe("Files with tokens", () => {
  beforeEach(() => {
    setUp.synth((stack) => void new TerraformVariable(stack, "web_token", { sensitive: true }));
    writeValueFile(setUp.stackFolder, { web_token: "canary-token" });
  });
  const path = () => join(setUp.stackFolder, "iam-tokens.auto.tfvars.json");

  test("are fine if only their owner can read them and they are in use", async () => {
    const { faults, text } = await setUp.diagnose();
    expect(faults).toEqual([]);
    expect(text).toMatch(/^ok {6}value-files /m);
  });

  test("can be read by others", async () => {
    chmodSync(path(), 0o640);
    expect(only(await setUp.diagnose())).toMatch(
      /^value-files failed: Others may read the tokens of the stack "web".* 640/,
    );
  });

  test("are left over", async () => {
    setUp.synth();
    // A synthesis removes it; something else has brought it back, as a cache of a pipeline does.
    writeValueFile(setUp.stackFolder, { web_token: "canary-token" });
    expect(only(await setUp.diagnose())).toMatch(
      /^value-files failed: .* is obsolete: .*"web_token"/,
    );
  });

  test("are old", async () => {
    const then = Date.now() / 1000 - 90_000;
    utimesSync(path(), then, then);
    expect(only(await setUp.diagnose())).toMatch(
      /^value-files warning: .* were resolved 1 d 1 h ago/,
    );
  });

  test("are partial", async () => {
    setUp.write("project/cdktf.out/stacks/web/.iam-tokens-values-0123", "canary", 0o600);
    expect(only(await setUp.diagnose())).toMatch(
      /^value-files failed: .* left by a killed synthesis/,
    );
  });
});

test("several faults are all reported, one line each", async () => {
  chmodSync(join(setUp.folder, "password"), 0o666);
  chmodSync(join(providerFolder(), launcher()), 0o644);
  const { exitCode, text } = await setUp.diagnose();
  expect(exitCode).toBe(1);
  expect(text.match(/^failed /gm)).toHaveLength(2);
  expect(text.match(/^ {5}\s+-> /gm)).toHaveLength(2);
});
