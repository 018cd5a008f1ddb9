import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceUserToken, TokenScope } from "../../lib";
import { IAM_TOKENS } from "../scenarios/run-support";
import { REQUESTS_OF_APPLY, scenarios } from "../scenarios/scenario";
import { identityIn, StackOf } from "../scenarios/stacks";
import { startCommand } from "../support/command";
import { commandLine } from "../support/framework";
import { canMount, NO_MOUNTS, withMounts } from "../support/mounts";
import { onPlatform } from "../support/platform";
import { makeProject, packageRoot } from "../support/project";
import { describeIf } from "../support/skips";
import { terraformBinary, terraformEnvironment } from "../support/terraform";

const hasBash = spawnSync("bash", ["-c", ":"]).status === 0;

/** The differences of macOS: no /proc, and bash as sh. */
const MACOS = `mount --bind "$(command -v bash)" /bin/sh
test -n "$(/bin/sh -c 'echo "$BASH_VERSION"')"
mount -t tmpfs tmpfs /proc`;

describeIf(canMount() && hasBash, NO_MOUNTS)("on another machine,", () => {
  scenarios("as far as one can be imitated,", (stage) => {
    async function succeed(
      mounts: string,
      command: readonly string[],
      cwd: string,
      env: Readonly<Record<string, string>>,
    ): Promise<string> {
      const [program, ...args] = withMounts(mounts, command);
      const all = { ...terraformEnvironment(stage().scratch), ...stage().secrets, ...env };
      const { exitCode, text } = await startCommand(program, args, { cwd, env: all }).finished;
      if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${text}`);
      return text;
    }

    test("macOS: a stack is synthesized, initialized, applied, planned under iam-tokens run, and passes doctor", async () => {
      const { folder, home } = stage().scratch;
      const stackFolder = onPlatform("darwin", () =>
        stage().synth((app) => {
          new StackOf(app, "main", (stack) => {
            const identity = identityIn(stack, stage());
            new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
          });
        }),
      ).stackFolder("main");
      const bin = join(folder, "bin");
      const node = join(bin, "node");
      const darwin = join(bin, "darwin.cjs");
      const TMPDIR = join(folder, "var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/");
      for (const each of [bin, TMPDIR]) mkdirSync(each, { recursive: true });
      writeFileSync(
        darwin,
        `Object.defineProperty(process, "platform", { value: "darwin" }); process.execPath = ${JSON.stringify(node)};`,
      );
      writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' --require '${darwin}' "$@"\n`, {
        mode: 0o755,
      });
      const env = { PATH: `${bin}:${process.env.PATH}`, TMPDIR };
      const terraform = (...args: readonly string[]) =>
        succeed(MACOS, [terraformBinary(), ...args], stackFolder, env);
      await terraform("init");
      await terraform("apply", "-auto-approve");
      // There is no hand-over, by which plan and apply would share one.
      expect(stage().requests()).toBe(2);
      const ours = (...args: readonly string[]) =>
        succeed(MACOS, [node, IAM_TOKENS, ...args], stackFolder, env);
      await ours("run", "--", terraformBinary(), "plan");
      expect(stage().requests()).toBe(1);
      expect(await ours("doctor", stackFolder)).toMatch(/^ok +node .* darwin_/m);
      expect([readdirSync(TMPDIR), readdirSync(home)]).toEqual([[], []]);
    });

    test("the command line deploys a package that nobody may write to", async () => {
      const project = makeProject({
        app: `
import { App, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
const app = new App();
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl: "${stage().identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
app.synth();
`,
      });
      try {
        const sealed = `mount --bind "${packageRoot}" "${packageRoot}"
mount -o remount,bind,ro "${packageRoot}"
if touch "${packageRoot}/dist/sealed" 2>/dev/null; then exit 9; fi`;
        const deploy = [...commandLine(), "deploy", "--auto-approve"];
        await succeed(sealed, deploy, project.folder, { CI: "true" });
        expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
      } finally {
        project.remove();
      }
    });
  });
});
