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
import { EmbeddedProvider, SecretRef, ServiceUserToken, TokenScope } from "../../lib";
import { terraformBinary } from "../support/terraform";
import { iamTokens } from "./run-support";
import { type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

interface Found {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly remedy?: string;
}

const INSTALLED = ".terraform/providers/npm.invalid/cdktf-iam-tokens/iam";

scenarios("iam-tokens doctor", (stage) => {
  const env = (more: Readonly<Record<string, string>> = {}) => ({
    ...stage().secrets,
    TERRAFORM_BINARY_NAME: terraformBinary(),
    ...more,
  });

  async function failuresOf(...given: Parameters<typeof failuresIn>): Promise<readonly string[]> {
    return (await failuresIn(...given)).map(({ check }) => check);
  }

  async function failuresIn(
    folder: string,
    args: readonly string[] = [],
    more: Readonly<Record<string, string>> = {},
  ): Promise<readonly Found[]> {
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
    return found;
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
      check: "provider-files",
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

  describe("Terraform is run in a folder of its own:", () => {
    const program = (
      folder: string,
      args: readonly string[],
      more: Readonly<Record<string, string>>,
    ) => stage().terraform(folder, args, env(more));

    /** The text and the remedy of the one failure. */
    async function failureIn(folder: string, more: Readonly<Record<string, string>>) {
      const [failure, ...others] = await failuresIn(folder, [], more);
      expect(others).toEqual([]);
      return { text: "", remedy: "", ...failure };
    }

    function plain(): string {
      const folder = join(stage().scratch.folder, "plain");
      mkdirSync(folder);
      writeFileSync(join(folder, "main.tf"), PLAIN);
      return folder;
    }

    const configured = (text: string) => {
      const file = join(stage().scratch.folder, "cli.tfrc");
      writeFileSync(file, text);
      return { TF_CLI_CONFIG_FILE: file };
    };

    const install = async () => {
      const { scratch } = stage();
      const { stdout } = await iamTokens(["install", join(scratch.folder, "mirror")], { scratch });
      return stdout;
    };

    test("a mirror that has only other providers", async () => {
      const folder = plain();
      const others = join(stage().scratch.folder, "others");
      mkdirSync(others);
      const mirror = `filesystem_mirror {\n  path = "${others}"\n}\n`;
      const more = configured(`provider_installation {\n${mirror}}\n`);
      const { check, text, remedy } = await failureIn(folder, more);
      expect(check).toBe("init");
      expect(text).toContain("was not found in any of the search locations");
      expect(text).toContain(others);
      expect(remedy).toMatch(/iam-tokens run --, .*iam-tokens install DIR.* merged with/);
      expect((await program(folder, ["init"], more)).exitCode).toBe(1);
      const run = await iamTokens(["run", "--", terraformBinary(), "init"], {
        scratch: stage().scratch,
        cwd: folder,
        env: env(more),
      });
      expect(run.exitCode).toBe(0);
      const merged = configured((await install()).replace("{\n", `{\n${mirror}`));
      expect(await failuresOf(folder, [], merged)).toEqual([]);
      expect((await program(folder, ["init"], merged)).exitCode).toBe(0);
    });

    test("a plugin cache, which it does not change, and whose links end", async () => {
      const app = stage().synth((root) => {
        for (const id of ["one", "two"])
          new StackOf(root, id, (each) => void EmbeddedProvider.of(each));
      });
      const [one, two] = [app.stackFolder("one"), app.stackFolder("two")];
      const cache = join(stage().scratch.folder, "cache");
      const more = { TF_PLUGIN_CACHE_DIR: cache };
      const missing = await failureIn(one, more);
      expect(missing.check).toBe("terraform");
      expect(missing.text).toContain(`The specified plugin cache dir ${cache} cannot be opened`);
      expect(missing.remedy).toContain("create it if it is missing, or unset TF_PLUGIN_CACHE_DIR");
      mkdirSync(cache);
      expect(await failuresOf(one, [], more)).toEqual([]);
      expect(readdirSync(cache)).toEqual([]);
      for (const folder of [one, two])
        expect((await program(folder, ["init"], more)).exitCode).toBe(0);
      // The cache leads to the stack that was initialized first.
      rmSync(one, { recursive: true });
      const dead = await failureIn(two, more);
      expect(dead).toMatchObject({
        check: "provider-files",
        remedy: "Run terraform init there again.",
      });
      expect((await program(two, ["validate"], more)).exitCode).toBe(1);
      expect((await program(two, ["init"], more)).exitCode).toBe(0);
      expect(await failuresOf(two, [], more)).toEqual([]);
      expect((await program(two, ["validate"], more)).exitCode).toBe(0);
    });

    test("a broken .terraformrc, of which nothing is repeated", async () => {
      const folder = stack(stage());
      const { secrets, scratch } = stage();
      const file = join(scratch.home, ".terraformrc");
      writeFileSync(file, `credentials "example.com" {\n  token = ${secrets.STATIC_TOKEN}\n`);
      const { check, text, remedy } = await failureIn(folder, {});
      expect(check).toBe("terraform");
      expect(text).toContain(`Error parsing ${file}: At `);
      expect(remedy).toMatch(/^Correct the file/);
      writeFileSync(file, "");
      expect(await failuresOf(folder, [], {})).toEqual([]);
    });

    test("a folder of providers that is missing", async () => {
      const folder = plain();
      const { check, remedy } = await failureIn(folder, {});
      expect(check).toBe("init");
      expect(remedy).toContain("iam-tokens install DIR");
      expect((await program(folder, ["init"], {})).exitCode).toBe(1);
      const more = configured(await install());
      expect(await failuresOf(folder, [], more)).toEqual([]);
      expect((await program(folder, ["init"], more)).exitCode).toBe(0);
      rmSync(join(stage().scratch.folder, "mirror"), { recursive: true });
      rmSync(join(folder, ".terraform"), { recursive: true });
      expect((await failureIn(folder, more)).text).toContain("mirror");
      await install();
      expect(await failuresOf(folder, [], more)).toEqual([]);
    });
  });
});

const PLAIN = `terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" } # no version
  }
}
resource "iam_rotation" "push" {
  rotate_every = "14h"
}
`;
