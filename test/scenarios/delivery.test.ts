import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SecretRef } from "../../lib";
import { terraformBinary } from "../support/terraform";
import { iamTokens } from "./run-support";
import { REQUESTS_OF_APPLY, type Scenario, scenarios } from "./scenario";
import { identityIn, initialized, mainStack, webToken } from "./stacks";

const words = (text: string) => text.replace(/[│╷╵\s]+/g, " ");

const stackFolder = (stage: Scenario): string =>
  mainStack(stage, (stack) => void webToken(stack, stage));

scenarios("the provider in a stack's folder", (stage) => {
  test("works if only the folder was copied, to one with blanks, umlauts, quotes and $ in its path, with its password in a file there", async () => {
    const marks = mkdtempSync(join(tmpdir(), 'iam ü\'s "$HOME" `id` $$ % \\n '));
    const folder = realpathSync(marks);
    try {
      const file = join(folder, "the password");
      const synthesized = mainStack(stage(), (stack) => {
        const serviceUser = { name: "deployer", password: SecretRef.file(file) };
        const identity = identityIn(stack, stage(), { serviceUser });
        webToken(stack, stage(), { identity });
      });
      cpSync(synthesized, folder, { recursive: true });
      writeFileSync(file, stage().password, { mode: 0o600 });
      rmSync(synthesized, { recursive: true });
      await stage().succeed(folder, ["init"], {});
      await stage().succeed(folder, ["apply", "-auto-approve"], {});
      expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
      const { scratch } = stage();
      const command = ["run", "--", terraformBinary(), "plan"];
      expect((await iamTokens(command, { scratch, cwd: folder })).exitCode).toBe(0);
      expect(stage().requests()).toBe(1);
    } finally {
      rmSync(marks, { recursive: true, force: true });
    }
  });

  test("is refused by Terraform when a file of it changed, at plan and at init", async () => {
    const folder = await initialized(stage(), (stack) => void webToken(stack, stage()));
    const plugin = join(folder, "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam");
    const changed = readdirSync(plugin, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("objects.cjs"))
      .map((path) => join(plugin, path));
    for (const file of changed) writeFileSync(file, "// changed");
    const plan = await stage().terraform(folder, ["plan", "-no-color"], stage().secrets);
    expect(words(plan.text)).toMatch(/does not match any of the checksums recorded in the dep/);
    const init = await stage().terraform(folder, ["init", "-no-color"], {});
    expect(words(init.text)).toMatch(/doesn't match any of the checksums previously recorded/);
  });

  test("is found through a CLI configuration with the lines that docs/lock-file.md gives", async () => {
    const folder = stackFolder(stage());
    const TF_CLI_CONFIG_FILE = join(stage().scratch.folder, "terraform.rc");
    writeFileSync(TF_CLI_CONFIG_FILE, "provider_installation {\n  direct {}\n}\n");
    const failed = await stage().terraform(folder, ["init", "-no-color"], { TF_CLI_CONFIG_FILE });
    expect(failed.exitCode).toBe(1);
    expect(words(failed.text)).toContain("npm.invalid");

    const lines = /^ *filesystem_mirror \{[\s\S]*?^ *```$/m
      .exec(readFileSync(join(__dirname, "../../docs/lock-file.md"), "utf8"))?.[0]
      .replace(/^ *```$/m, "")
      .replace("/path/to/cdktf.out/stacks/NAME", folder);
    writeFileSync(TF_CLI_CONFIG_FILE, `provider_installation {\n${lines}}\n`);
    await stage().succeed(folder, ["init"], { TF_CLI_CONFIG_FILE });
    rmSync(join(folder, ".terraform"), { recursive: true });

    writeFileSync(TF_CLI_CONFIG_FILE, "provider_installation {\n  direct {}\n}\n");
    await stage().succeed(folder, ["init", "-plugin-dir=terraform.d/plugins"], {
      TF_CLI_CONFIG_FILE,
    });
  });
});
