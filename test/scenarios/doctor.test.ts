import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { SecretRef, ServiceUserToken, TokenScope } from "../../lib";
import { iamTokens } from "./run-support";
import { type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

interface Found {
  readonly check: string;
  readonly status: string;
  readonly text: string;
}

const INSTALLED = ".terraform/providers/npm.invalid/cdktf-iam-tokens/iam";

scenarios("iam-tokens doctor", (stage) => {
  const env = (more: Readonly<Record<string, string>> = {}) => ({ ...stage().secrets, ...more });

  async function failuresOf(
    folder: string,
    args: readonly string[] = [],
    more: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> {
    const { scratch, password, staticToken } = stage();
    const { exitCode, stdout, stderr, text } = await iamTokens(
      ["doctor", folder, "--json", ...args],
      {
        scratch,
        env: env(more),
      },
    );
    expect(stderr).toBe("");
    expect(text).not.toContain(password);
    expect(text).not.toContain(staticToken);
    const found = (JSON.parse(stdout) as readonly Found[]).filter(
      ({ status }) => status === "failed",
    );
    expect(exitCode).toBe(found.length > 0 ? 1 : 0);
    return found.map(({ check }) => check);
  }

  function stack({ synth }: Scenario): string {
    return synth((app) => {
      new StackOf(app, "web", (web) => {
        const identity = identityIn(web, stage(), {
          serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
        });
        new ServiceUserToken(web, "token", { identity, scope: TokenScope.account() });
      });
    }).stackFolder("web");
  }

  test("finds no fault before and after terraform init, nor with --issue", async () => {
    const folder = stack(stage());
    expect(await failuresOf(folder)).toEqual([]);
    await stage().succeed(folder, ["init"]);
    await stage().succeed(folder, ["plan"]);
    expect(await failuresOf(folder, ["--issue"])).toEqual([]);
    expect(stage().requests()).toBe(2);
  });

  test.each<{
    readonly check: string;
    readonly breakIt: (folder: string) => Readonly<Record<string, string>>;
    readonly args: readonly string[];
  }>([
    {
      check: "cli-configuration",
      breakIt: (folder) => {
        writeFileSync(join(folder, "cli.tfrc"), "provider_installation {\n  direct {}\n}\n");
        return { TF_CLI_CONFIG_FILE: join(folder, "cli.tfrc") };
      },
      args: ["init"],
    },
    {
      check: "lock-files",
      breakIt: (folder) => {
        const lock = join(folder, ".terraform.lock.hcl");
        writeFileSync(lock, readFileSync(lock, "utf8").replace(/"h1:.{4}/g, '"h1:AAAA'));
        return {};
      },
      args: ["init"],
    },
    {
      check: "required-providers",
      breakIt: (folder) => {
        const file = join(folder, "cdk.tf.json");
        writeFileSync(file, readFileSync(file, "utf8").replace('"required_providers"', '"//"'));
        return {};
      },
      args: ["init"],
    },
    { check: "credentials", breakIt: () => ({ SERVICE_USER_PASSWORD: "" }), args: ["plan"] },
    { check: "environment", breakIt: () => ({ TF_REATTACH_PROVIDERS: "no JSON" }), args: ["plan"] },
    {
      check: "plugin-cache",
      breakIt: (folder) => {
        const [version = ""] = readdirSync(join(folder, INSTALLED));
        const [platform = ""] = readdirSync(join(folder, INSTALLED, version));
        rmSync(join(folder, INSTALLED, version, platform));
        symlinkSync("/not/there", join(folder, INSTALLED, version, platform));
        return {};
      },
      args: ["plan"],
    },
  ])("finds the fault by which Terraform fails: $check", async ({ check, breakIt, args }) => {
    const folder = stack(stage());
    if (args[0] !== "init") await stage().succeed(folder, ["init"]);
    const variables = breakIt(folder);
    expect(await failuresOf(folder, [], variables)).toEqual([check]);
    expect((await stage().terraform(folder, args, env(variables))).exitCode).toBe(1);
  });

  test("the run bit: Terraform cannot start the provider", async () => {
    const folder = stack(stage());
    await stage().succeed(folder, ["init"]);
    const plugins = join(folder, "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam");
    const { stdout } = await iamTokens(["--version"], { scratch: stage().scratch });
    const version = stdout.trim();
    for (const platform of ["linux_amd64", "linux_arm64"]) {
      chmodSync(join(plugins, version, platform, `terraform-provider-iam_v${version}`), 0o644);
    }
    expect(await failuresOf(folder)).toEqual(["provider-files"]);
    expect((await stage().terraform(folder, ["plan"])).exitCode).toBe(1);
  });

  test("plain HCL with a mirror, and how old its rotation is", async () => {
    const { scratch } = stage();
    const folder = join(scratch.folder, "plain");
    mkdirSync(folder);
    const { stdout: configuration } = await iamTokens(["install", join(scratch.folder, "mirror")], {
      scratch,
    });
    const tfrc = join(scratch.folder, "mirror.tfrc");
    writeFileSync(tfrc, configuration);
    writeFileSync(
      join(folder, "main.tf"),
      `terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" } # no version
  }
}
resource "iam_rotation" "push" {
  rotate_every = "14h"
}
output "rotated_at" {
  value = iam_rotation.push.rotated_at
}
output "rotate_at" {
  value = iam_rotation.push.rotate_at
}
`,
    );
    const more = { TF_CLI_CONFIG_FILE: tfrc };
    expect(await failuresOf(folder, [], more)).toEqual([]);
    // Nothing is known before the first apply.
    await stage().succeed(folder, ["init"], env(more));
    expect(await failuresOf(folder, ["--max-age", "1h"], more)).toEqual(["rotation-age"]);
    await stage().succeed(folder, ["apply", "-auto-approve"], env(more));
    expect(await failuresOf(folder, ["--max-age", "1h"], more)).toEqual([]);
    expect(await failuresOf(folder, ["--max-age", "1ms"], more)).toEqual(["rotation-age"]);
    expect(await failuresOf(folder, ["--max-age", "1h", "--output", "rotate_at"], more)).toEqual([
      "rotation-age",
    ]);
  });
});
