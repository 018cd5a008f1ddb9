import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { SecretRef } from "../../lib";
import { terraformBinary } from "../support/terraform";
import { iamTokens } from "./run-support";
import { REQUESTS_OF_APPLY, type Scenario, scenarios } from "./scenario";
import { identityIn, initialized, mainStack, webToken } from "./stacks";

const words = (text: string) => text.replace(/[│╷╵\s]+/g, " ");

const stackFolder = (stage: Scenario): string =>
  mainStack(stage, (stack) => void webToken(stack, stage));

/** A PATH with the programs of this machine, except Node.js: as in a minimal image for apply. */
function pathWithoutNode(at: string): string {
  mkdirSync(at);
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of ["sh", "terraform", "tofu", "readlink"]) {
      try {
        symlinkSync(realpathSync(join(folder, name)), join(at, name));
      } catch {
        // Not there, or found in an earlier folder.
      }
    }
  }
  return at;
}

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

  test("reports in Terraform's own error that Node.js is missing, and the required version", async () => {
    const folder = await initialized(stage(), (stack) => void webToken(stack, stage()));
    const PATH = pathWithoutNode(join(stage().scratch.folder, "bin"));
    const planned = await stage().terraform(folder, ["plan", "-no-color"], {
      ...stage().secrets,
      PATH,
    });
    expect(words(planned.text)).toMatch(
      /needs Node\.js 20\.18\.1 or newer, and there is no "node" in PATH/,
    );
  });

  test("reports that Node.js is too old, with its version", async () => {
    const folder = await initialized(stage(), (stack) => void webToken(stack, stage()));
    const PATH = pathWithoutNode(join(stage().scratch.folder, "bin"));
    // A Node.js that calls itself 18: the check reads process.versions, which a preload can change
    // for this one process.
    const preload = join(stage().scratch.folder, "old.cjs");
    writeFileSync(
      preload,
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });',
    );
    writeFileSync(
      join(PATH, "node"),
      `#!/bin/sh\nexec '${process.execPath}' --require '${preload}' "$@"\n`,
    );
    chmodSync(join(PATH, "node"), 0o755);
    const planned = await stage().terraform(folder, ["plan", "-no-color"], {
      ...stage().secrets,
      PATH,
    });
    expect(words(planned.text)).toMatch(/needs Node\.js 20\.18\.1 or newer; this is 18\.20\.8/);
  });

  test("is not affected by variables for Node.js in a user's environment", async () => {
    const folder = await initialized(stage(), (stack) => void webToken(stack, stage()));
    await stage().succeed(folder, ["plan"], {
      ...stage().secrets,
      NODE_OPTIONS: "--require ./is-not-there.cjs",
      NODE_EXTRA_CA_CERTS: "/nowhere/at/all.pem",
      NODE_V8_COVERAGE: join(stage().scratch.folder, "coverage"),
      NODE_DEBUG: "http2,tls,net",
    });
    expect(readdirSync(stage().scratch.folder)).not.toContain("coverage");
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
