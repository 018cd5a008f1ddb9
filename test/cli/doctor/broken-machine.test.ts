import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageVersion } from "../../../lib/delivery/package-root";
import { edit, only } from "./one-fault";
import { SetUp } from "./set-up";

// Each test breaks one part of a healthy project, and expects exactly this fault.
let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

const platform = `linux_${process.arch === "x64" ? "amd64" : "arm64"}`;

describe("Node.js", () => {
  const node = (script: string) => setUp.write("bin/node", `#!/bin/sh\n${script}\n`, 0o755);

  test("is too old", async () => {
    node("echo v18.20.4");
    expect(only(await setUp.diagnose())).toMatch(
      /^node failed: The "node" in PATH is 18\.20\.4, but the provider needs 20\.18\.1/,
    );
  });

  test("is missing", async () => {
    const nothing = join(setUp.scratch.folder, "empty");
    mkdirSync(nothing);
    const diagnosis = await setUp.diagnose(["--only", "node"], { vars: { PATH: nothing } });
    expect(only(diagnosis)).toMatch(/^node failed: "node" is not in PATH/);
  });

  test("prints output that cannot be parsed", async () => {
    node("echo hello");
    expect(only(await setUp.diagnose())).toContain("does not print its version");
  });
});

describe("Terraform", () => {
  test("does not know ephemeral resources, which a stack uses", async () => {
    setUp.terraform("Terraform v1.9.8");
    expect(only(await setUp.diagnose())).toMatch(
      /^terraform failed: Terraform 1\.9\.8 does not support ephemeral resources, but the stack "web" uses them\. \[ERR_TERRAFORM_TOO_OLD\] -> Use Terraform 1\.10 or newer, OpenTofu 1\.11/,
    );
  });

  test.each([
    ["cdk.tf.json", '{ "variable": { "web_token": { "ephemeral": true } } }'],
    ["main.tf", 'variable "web_token" {\n  ephemeral = true\n}\n'],
  ])(
    "does not know ephemeral variables, which a stack without a provider uses: %s",
    async (file, text) => {
      setUp.terraform("Terraform v1.9.8");
      setUp.write(`plain/${file}`, text);
      expect(only(await setUp.diagnose(["../plain"]))).toMatch(
        /^terraform failed: Terraform 1\.9\.8 does not support ephemeral resources/,
      );
    },
  );

  test("does not know ephemeral resources, which no stack uses", async () => {
    setUp.terraform("Terraform v1.9.8");
    // As of a token with SYNTH and allowInState.
    setUp.write("plain/main.tf", 'variable "web_token" {\n  sensitive = true\n}\n');
    expect(only(await setUp.diagnose(["../plain", "--only", "terraform"]))).toMatch(
      /^terraform warning: .* Only tokens that are stored in the state work: DATA, ROTATING, and SYNTH with allowInState\. -> Use Terraform 1\.10/,
    );
  });

  test("does not know write-only arguments, which a stack uses", async () => {
    setUp.terraform("Terraform v1.10.5");
    edit(join(setUp.stackFolder, "cdk.tf.json"), (text) =>
      text.replace(
        "{",
        '{ "resource": { "vault_kv_secret_v2": { "x": { "data_json_wo": "x", "data_json_wo_version": 1 } } },',
      ),
    );
    expect(only(await setUp.diagnose())).toMatch(
      /^terraform failed: Terraform 1\.10\.5 does not support write-only arguments/,
    );
  });

  test("is missing, and so is OpenTofu", async () => {
    const diagnosis = await setUp.diagnose(["--only", "terraform"], {
      vars: { TERRAFORM_BINARY_NAME: "no-such-program" },
    });
    expect(only(diagnosis)).toMatch(
      /^terraform failed: "no-such-program" is not in PATH\. -> .*TERRAFORM_BINARY_NAME=tofu/,
    );
  });

  describe("is missing, but OpenTofu is there", () => {
    const diagnose = (folder: string, vars: Readonly<Record<string, string>> = {}) => {
      const bin = join(setUp.scratch.folder, "only-tofu");
      setUp.write("only-tofu/tofu", "#!/bin/sh\necho 'OpenTofu v1.12.6'\n", 0o755);
      symlinkSync("/bin/sh", join(bin, "sh"));
      return setUp.diagnose([folder, "--only", "terraform"], { vars: { PATH: bin, ...vars } });
    };
    const FINE = "OpenTofu 1.12.6, with ephemeral resources and write-only arguments.";

    test("which the command line of the framework does not start by itself", async () => {
      expect(only(await diagnose(setUp.folder))).toMatch(
        /^terraform warning: cdktf runs "terraform", which is not in PATH; OpenTofu 1\.12\.6 is\. -> Set TERRAFORM_BINARY_NAME=tofu in the environment\.$/,
      );
    });

    test("and named", async () => {
      const { findings } = await diagnose(setUp.folder, { TERRAFORM_BINARY_NAME: "tofu" });
      expect(findings).toMatchObject([{ status: "ok", text: FINE }]);
    });

    test("which suffices for a stack's folder", async () => {
      const { findings } = await diagnose(setUp.stackFolder);
      expect(findings).toMatchObject([{ status: "ok", text: FINE }]);
    });
  });

  test("fails to print its version, as a version manager does that has none", async () => {
    setUp.write("bin/terraform", "#!/bin/sh\necho 'no version is set' >&2\nexit 126\n", 0o755);
    expect(only(await setUp.diagnose())).toMatch(
      /^terraform failed: .* does not print a version \(exit code 126\)/,
    );
  });
});

describe("The configuration of Terraform's command line", () => {
  const complains = (problems: string) =>
    setUp.write(
      "bin/terraform",
      `#!/bin/sh\nif [ "$1" = version ]; then echo Terraform v1.11.4; cat >&2 <<'E'\nThere are some problems with the CLI configuration:\n╷\n${problems.replaceAll(/^/gm, "│ ")}\n╵\n\nAs a result of the above problems, Terraform may not behave as intended.\nE\nfi\n`,
      0o755,
    );

  test.each([
    [": At 1:27: Unknown token: 1:27 IDENT canary", ": At 1:27"],
    [': key "canary": wrong', ""],
  ])(
    "is wrong: nothing that is in it is repeated, as Terraform does with %s",
    async (said, place) => {
      complains(`Error: Error parsing /home/.terraformrc${said}`);
      const vars = { TF_CLI_CONFIG_FILE: "/home/.terraformrc" };
      const { faults, findings } = await setUp.diagnose([], { vars });
      expect(faults).toEqual([
        {
          check: "terraform",
          status: "failed",
          text: `Terraform 1.11.4 cannot use its CLI configuration. Error: Error parsing /home/.terraformrc${place}.`,
          remedy:
            "Correct the file or the folder that it names, create it if it is missing, or unset TF_CLI_CONFIG_FILE.",
        },
      ]);
      expect(findings).toContainEqual({
        check: "init",
        status: "skipped",
        text: "Not tried: first fix what the check terraform reports.",
      });
    },
  );

  test("is missing, although a variable names it", async () => {
    complains("Warning: Unable to open CLI configuration file\n\nThe file does not exist.");
    expect(only(await setUp.diagnose())).toMatch(
      /^terraform warning: .* Warning: Unable to open CLI configuration file\. The file does not exist\. -> Correct/,
    );
  });
});

test("A stack was initialized with a provider that has gone, as from a plugin cache", async () => {
  const linkIn = (root: string) => {
    const link = join(root, "npm.invalid/cdktf-iam-tokens/iam", packageVersion(), platform);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync("/not/there", link);
  };
  linkIn(join(setUp.stackFolder, ".terraform/providers"));
  expect(only(await setUp.diagnose())).toMatch(
    /^provider-files failed: The stack "web" .* no longer exists.* -> Run terraform init there again/,
  );
  // What Terraform keeps of a stack is elsewhere: relative to the folder in which it runs.
  const elsewhere = (TF_DATA_DIR: string) => setUp.diagnose([], { vars: { TF_DATA_DIR } });
  expect((await elsewhere("../data")).faults).toEqual([]);
  linkIn(join(setUp.stackFolder, "../data/providers"));
  expect(only(await elsewhere("../data"))).toContain("stacks/data/providers/npm.invalid");
});

describe("The environment", () => {
  test("attaches to a provider that is gone", async () => {
    const reattach = JSON.stringify({
      "npm.invalid/cdktf-iam-tokens/iam": { Addr: { Network: "unix", String: "/not/there" } },
    });
    expect(only(await setUp.diagnose([], { vars: { TF_REATTACH_PROVIDERS: reattach } }))).toMatch(
      /^environment failed: .* not running/,
    );
    expect(only(await setUp.diagnose([], { vars: { TF_REATTACH_PROVIDERS: "canary" } }))).toMatch(
      /^environment failed: .* not a JSON object/,
    );
  });

  test("has TF_LOG", async () => {
    expect(only(await setUp.diagnose([], { vars: { TF_LOG: "TRACE" } }))).toMatch(
      /^environment warning: TF_LOG/,
    );
  });
});
