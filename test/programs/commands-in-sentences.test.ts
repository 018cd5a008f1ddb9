import { join } from "node:path";
import { scenarios } from "../scenarios/world";
import { startCommand } from "../support/command";
import { commandsInSentences, PAGES } from "../support/pages";
import { programOf, shellIn, userProject } from "./user-project";

/** The commands of the pages that no test can run as they stand, by the reason. */
const LEFT: Readonly<Record<string, RegExp>> = {
  "has a placeholder": /…|VERSION|\bKEY\b|NAME <ADDRESS>|OWNER|credential delete/,
  "is a name, whose arguments are elsewhere":
    /^(?:npx )?cdkt[fn](?:-iam-tokens)?$|^terraform (?:state rm|import|providers mirror)$|^(?:chmod \+x|curl -H .*)$/,
  "contacts a registry, or another service":
    /^npm (?:ci|i|install|uninstall|view|audit)\b|^pip |^gh |^vault |^terraform login$/,
  "is of this repository, whose CI runs it": /^npm (?:test|run)\b/,
  "takes part in test/programs/cdktf": /\bcdktf (?:deploy|get|init|output)\b/,
  "is CDK Terrain's: test/programs/terrain": /^(?:npx )?cdktn /,
  "is OpenTofu's": /^tofu /,
};

/** Commands that are named without arguments: their help is run. */
const NAMED = /^(?:npx cdktf-)?iam-tokens (?:run|run --|issue|install|schedule|verify)$/;

/** Exit codes that the pages give, where they are not 0. */
const EXITS: Readonly<Record<string, number>> = {
  "cdktf synth --hcl": 1,
  "terraform -chdir=DIR init": 1,
  "terraform providers lock": 1,
};

/** The last ones: they end the token, or everything. */
const LAST = [/\| npx cdktf-iam-tokens revoke$/, /revoke --state/, /^terraform destroy/];

const place = (command: string) => LAST.findIndex((pattern) => pattern.test(command));

const commands = [...new Set(PAGES.flatMap(commandsInSentences))];
const isLeft = (command: string) => Object.values(LEFT).some((reason) => reason.test(command));

test("each command within a sentence that is not run has a reason, and each reason a command", () => {
  const stale = Object.entries(LEFT).filter(
    ([, reason]) => !commands.some((one) => reason.test(one)),
  );
  expect(stale).toEqual([]);
  const unknown = Object.keys(EXITS).filter((command) => !commands.includes(command));
  expect(unknown).toEqual([]);
  expect(commands.filter((command) => !isLeft(command)).length).toBeGreaterThan(35);
});

scenarios("the commands within sentences", (stage) => {
  const user = userProject(stage);

  test("do what their page says", async () => {
    const body = `
new TokenRotation(stack, "push", { schedule: RotationSchedule.every("6h") });
const stored = TokenResolution.rotating();
new ServiceUserToken(stack, "ci", { identity, scope: TokenScope.account(), resolution: stored });`;
    const imports = 'import { RotationSchedule, TokenRotation } from "cdktf-iam-tokens";';
    const { folder, stackFolder } = user.start(programOf(stage(), body, imports));
    const web = stackFolder("main");
    const { identity, password, secrets } = stage();
    const { TF_INPUT: _, ...shell } = shellIn(folder, stage());
    const env = {
      ...{ ...shell, ...secrets, PATH: `${join(folder, "node_modules/.bin")}:${shell.PATH}` },
      ...{ OS_AUTH_URL: identity.authUrl, OS_USER_DOMAIN_NAME: "123456" },
      ...{ OS_USERNAME: "deployer", OS_PASSWORD: password },
    };
    const run = async (script: string, cwd = web) => {
      const program = /apply|destroy/.test(script) ? `exec <<< yes\n${script}` : script;
      const { finished } = startCommand("bash", ["-c", program], { cwd, env, timeoutMs: 60_000 });
      const { exitCode, text } = await finished;
      return { exitCode, text };
    };
    const fresh = join(folder, "fresh");
    for (const line of ["cdktf synth", `cp -R ${web} ${fresh}`])
      expect(await run(line, folder)).toMatchObject({ exitCode: 0 });
    for (const line of ["terraform init", "terraform apply", "npx cdktf-iam-tokens install mirror"])
      expect(await run(line)).toMatchObject({ exitCode: 0 });
    expect(await run("sha256sum cdk.tf.json > SHA256SUMS")).toMatchObject({ exitCode: 0 });

    const inOrder = commands
      .filter((command) => !isLeft(command))
      .sort((a, b) => place(a) - place(b));
    const wrong: unknown[] = [];
    for (const command of inOrder) {
      const script = (NAMED.test(command) ? `${command.replace(/ --$/, "")} --help` : command)
        .replace("-chdir=DIR", `-chdir=${fresh}`)
        .replace("/usr/local/share/terraform/providers", "mirror")
        .replace("install DIR", "install mirror")
        .replace(/\bcd DIR/, "cd .")
        .replace("FILE", join(folder, "terraform.main.tfstate"))
        .replace("iam_rotation.NAME", "iam_rotation.push")
        .replace("$TF_PLUGIN_CACHE_DIR", "cache")
        // It leaves a folder in the temporary one.
        .replace(/^npx tsx/, 'TMPDIR="$PWD" npx tsx');
      const inProject = /\b(?:cdktf|tsx|chdir)\b/.test(command) && !/-iam-tokens/.test(command);
      const { exitCode, text } = await run(script, inProject ? folder : web);
      if (exitCode !== (EXITS[command] ?? 0)) wrong.push({ command, script, exitCode, text });
    }
    expect(wrong).toEqual([]);
  }, 600_000);
});
