import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SecretRef, ServiceUserToken, TokenScope } from "../../lib";
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

  const lock = (change: (text: string) => string) => (folder: string) => {
    const file = join(folder, ".terraform.lock.hcl");
    writeFileSync(file, change(readFileSync(file, "utf8")));
  };
  const launchersIn = (folder: string) =>
    readdirSync(join(folder, "terraform.d"), { recursive: true })
      .map((name) => join(folder, "terraform.d", String(name)))
      .filter((name) => /terraform-provider-iam_v[\d.]+$/.test(name));

  test.each<{
    readonly fault: string;
    readonly check: string;
    readonly said: RegExp;
    readonly breakIt?: (folder: string) => void;
    readonly variables?: Readonly<Record<string, string>>;
    readonly args: readonly string[];
  }>([
    {
      fault: "another hash in the lock file",
      check: "init",
      said: /doesn't match any of the checksums.* -> Look for conflict markers/,
      breakIt: lock((text) => text.replace(/"h1:.{4}/g, '"h1:AAAA')),
      args: ["init"],
    },
    {
      fault: "a conflict marker in the lock file",
      check: "init",
      said: /lock\.hcl line 1.* -> Look for conflict markers/,
      breakIt: lock((text) => `<<<<<<< HEAD\n${text}`),
      args: ["init"],
    },
    {
      fault: "a launcher that cannot be executed",
      check: "init",
      said: /permission denied.* -> chmod \+x \//,
      breakIt: (folder) => {
        for (const name of launchersIn(folder)) chmodSync(name, 0o644);
      },
      args: ["plan"],
    },
    {
      fault: "an attached provider that has ended",
      check: "init",
      said: /-> Unset TF_REATTACH_PROVIDERS/,
      variables: {
        TF_REATTACH_PROVIDERS: JSON.stringify({
          "npm.invalid/cdktf-iam-tokens/iam": {
            Protocol: "grpc",
            ProtocolVersion: 6,
            Pid: 1,
            Test: true,
            Addr: { Network: "unix", String: "/not/there" },
          },
        }),
      },
      args: ["plan"],
    },
    {
      fault: "no JSON for attached providers",
      check: "terraform",
      said: /TF_REATTACH_PROVIDERS/,
      variables: { TF_REATTACH_PROVIDERS: "no JSON" },
      args: ["plan"],
    },
    {
      fault: "an empty password",
      check: "credentials",
      said: /SERVICE_USER_PASSWORD .* is empty/,
      variables: { SERVICE_USER_PASSWORD: "" },
      args: ["plan"],
    },
  ])(
    "finds the fault by which Terraform fails: $fault",
    async ({ check, said, breakIt, variables, args }) => {
      const folder = stack(stage());
      if (args[0] !== "init") await stage().succeed(folder, ["init"]);
      breakIt?.(folder);
      const [fault, ...others] = await failuresIn(folder, [], variables);
      expect(others).toEqual([]);
      expect(fault?.check).toBe(check);
      expect(`${fault?.text} -> ${fault?.remedy}`).toMatch(said);
      expect((await stage().terraform(folder, args, env(variables))).exitCode).toBe(1);
    },
  );

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

    test("a broken .terraformrc, of which nothing is repeated", async () => {
      const folder = stack(stage());
      const { secrets, scratch } = stage();
      const file = join(scratch.home, ".terraformrc");
      writeFileSync(file, `credentials "example.com" {\n  token = ${secrets.STATIC_TOKEN}\n`);
      const { check, text, remedy } = await failureIn(folder, {});
      expect(check).toBe("terraform");
      expect(text).toContain(`Error parsing ${file}: At `);
      expect(remedy).toMatch(/^Correct what it reports/);
      writeFileSync(file, "");
      expect(await failuresOf(folder, [], {})).toEqual([]);
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
