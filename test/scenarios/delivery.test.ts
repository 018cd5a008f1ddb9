import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SecretRef } from "../../lib";
import { readPage } from "../support/pages";
import { terraformBinary } from "../support/terraform";
import {
  identityIn,
  onOneLine,
  PROVIDER_SOURCE,
  REQUESTS_OF_APPLY,
  scenarios,
  webToken,
} from "./world";

const APPLY = "apply -auto-approve";

// docs/lock-file.md: You can synthesize on one machine and apply on another
scenarios("the provider in a stack's folder", (stage) => {
  test("works on a new machine with nothing but the folder, with any characters in its path, and a password in a file there", async () => {
    const { scratch, succeed } = stage();
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'iam ü\'s "$HOME" `id` $$ % \\n ')));
    try {
      const file = join(folder, "the password");
      const synthesized = stage().stack((stack) => {
        const serviceUser = { name: "deployer", password: SecretRef.file(file) };
        webToken(stack, stage(), { identity: identityIn(stack, stage(), { serviceUser }) });
      });
      cpSync(synthesized, folder, { recursive: true });
      rmSync(synthesized, { recursive: true });
      writeFileSync(file, stage().password, { mode: 0o600 });
      await succeed(folder, "init", {});
      await succeed(folder, APPLY, {});
      expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
      const env = scratch.env;
      const run = await stage().cli(["run", "--", terraformBinary(), "plan"], { cwd: folder, env });
      expect(run.exitCode).toBe(0);
      expect(stage().requests()).toBe(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("is refused by Terraform when a file of it has changed, at plan and at init", async () => {
    const folder = await stage().initialized((stack) => void webToken(stack, stage()));
    const plugin = join(folder, "terraform.d/plugins", PROVIDER_SOURCE);
    for (const path of readdirSync(plugin, { recursive: true, encoding: "utf8" }))
      if (path.endsWith("objects.cjs")) writeFileSync(join(plugin, path), "// changed");
    for (const command of ["plan", "init"]) {
      const { exitCode, text } = await stage().terraform(folder, command);
      expect(exitCode).toBe(1);
      expect(onOneLine(text)).toMatch(/(doesn't|does not) match any of the checksums/);
    }
  });

  test("is found through a CLI configuration with the lines that docs/lock-file.md gives, or by -plugin-dir", async () => {
    const { scratch, succeed, terraform } = stage();
    const folder = stage().stack((stack) => void webToken(stack, stage()));
    const env = { TF_CLI_CONFIG_FILE: join(scratch.folder, "terraform.rc") };
    const configure = (text: string) =>
      writeFileSync(env.TF_CLI_CONFIG_FILE, `provider_installation {\n${text}}\n`);
    configure("  direct {}\n");
    expect((await terraform(folder, "init", env)).exitCode).toBe(1);
    await succeed(folder, "init -plugin-dir=terraform.d/plugins", env);
    rmSync(join(folder, ".terraform"), { recursive: true });

    const page = readPage("docs/lock-file.md");
    const [lines = ""] = /^ *filesystem_mirror \{[\s\S]*?(?=^ *```$)/m.exec(page) ?? [];
    configure(lines.replace("/path/to/cdktf.out/stacks/NAME", folder));
    await succeed(folder, "init", env);
  });
});
