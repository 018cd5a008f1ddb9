import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  iamTokens,
  REQUESTS_OF_APPLY,
  type Scenario,
  scenarios,
  socketFolders,
} from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { commandLine } from "../../support/framework";
import { makeProject } from "../../support/project";
import { terraformBinary, terraformEnvironment } from "../../support/terraform";
import { userProject } from "../user-project";

// Settings and programs around the command line on users' machines. Those that do not disturb each
// other are tried at once: each deploy takes seconds.

/** A closed port: every connection to it fails. */
const NOWHERE = "http://127.0.0.1:1";
const SECURE_NOWHERE = "https://127.0.0.1:1/";

scenarios("the cdktf command line", (stage) => {
  const user = userProject(stage);

  async function deploy(
    cwd: string,
    env: Readonly<Record<string, string>>,
    ...stacks: readonly string[]
  ): Promise<void> {
    const command = [...commandLine(), "deploy", ...stacks, "--auto-approve"];
    const args = ["-c", 'umask 077; exec "$@"', "sh", ...command];
    const { exitCode, text } = await startCommand("/bin/sh", args, { cwd, env }).finished;
    if (exitCode !== 0) throw new Error(text);
  }

  test("deploys two stacks with a plugin cache, proxies, a preload, umask 077, and without HOME and /usr/bin", async () => {
    const at = user.start(appOf(stage(), ["one", "two"]));
    const { scratch, secrets } = stage();
    const [bin, cache, preload, loaded] = ["bin", "cache", "preload.cjs", "loaded"].map((name) =>
      join(scratch.folder, name),
    ) as [string, string, string, string];
    for (const folder of [bin, cache]) mkdirSync(folder);
    // As in a Nix shell, where what is in PATH is there by intention; sh is /bin/sh.
    const find = `for name in mkfifo rm ${terraformBinary()}; do ln -s "$(command -v $name)" ${bin}; done`;
    await startCommand("/bin/sh", ["-c", find], { cwd: bin, env: scratch.env }).finished;
    symlinkSync(process.execPath, join(bin, "node"));
    writeFileSync(
      preload,
      `require("node:fs").appendFileSync(${JSON.stringify(loaded)}, process.argv[1] + "\\n");`,
    );
    const { HOME, ...scratchEnv } = terraformEnvironment(scratch);
    const env = {
      ...scratchEnv,
      ...secrets,
      CI: "true",
      PATH: bin,
      TF_PLUGIN_CACHE_DIR: cache,
      TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: "1",
      NODE_OPTIONS: `--require ${preload}`,
      NODE_EXTRA_CA_CERTS: "/not/there.pem",
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      ALL_PROXY: NOWHERE,
      NO_PROXY: "example.com",
    };
    // The cache has a link to the provider of a stack of another project, which goes afterwards.
    const other = makeProject({ app: appOf(stage(), ["other"]) });
    try {
      await deploy(other.folder, env, "other");
      await deploy(at.folder, env, "one", "two");
    } finally {
      other.remove();
    }
    expect(stage().requests()).toBe(3 * REQUESTS_OF_APPLY);
    expect(readFileSync(loaded, "utf8")).toMatch(/main\.ts$/m);
    expect(readFileSync(loaded, "utf8")).not.toMatch(/main\.cjs$/m);
    expect((await stage().terraform(at.stackFolder("one"), ["plan"], env)).exitCode).toBe(1);
    await deploy(at.folder, env, "one");
  }, 240_000);

  test("deploys with a mirror in ~/.terraformrc and TF_DATA_DIR; and under run, two stacks by one request, with only a network mirror", async () => {
    const { folder, stackFolder } = user.start(appOf(stage(), ["one", "two"]));
    const { scratch, secrets } = stage();
    const env = { ...terraformEnvironment(scratch), ...secrets, CI: "true" };
    const configuration = join(scratch.home, ".terraformrc");
    const network = (more: string) => `network_mirror {\n  url = "${SECURE_NOWHERE}"\n${more}}\n`;
    const mirror = join(scratch.folder, "mirror");
    const { stdout: lines } = await iamTokens(["install", mirror], { scratch });
    // A company's mirror for everything else; the lines exclude the provider from `direct`.
    const exclude = '  exclude = ["npm.invalid/*/*"]\n';
    writeFileSync(configuration, lines.replace("{\n", `{\n${network(exclude)}`));
    const elsewhere = { ...env, TF_DATA_DIR: "../data" };
    await deploy(folder, elsewhere, "one");
    expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
    expect(readdirSync(stackFolder("."))).toEqual(["data", "one", "two"]);

    writeFileSync(configuration, `provider_installation {\n${network("")}}\n`);
    // It asks the mirror, which is a closed port.
    const failed = await stage().terraform(stackFolder("one"), ["init", "-no-color"], env);
    expect(failed.text.replace(/[│\s]+/g, " ")).toContain(`${SECURE_NOWHERE}npm.invalid`);
    const run = ["run", "--", ...commandLine(), "deploy", "*", "--auto-approve"];
    const { exitCode, text } = await iamTokens(run, { scratch, cwd: folder, env });
    if (exitCode !== 0) throw new Error(text);
    expect(stage().requests()).toBe(1);
    expect(text).toMatch(/iam-tokens: uses: \d+, requests: 1, /);
    expect(socketFolders(scratch)).toEqual([]);
    // Without what a configuration says otherwise: the folder that init looks into is named.
    rmSync(configuration);
    await stage().succeed(stackFolder("one"), ["init", "-plugin-dir=terraform.d/plugins"], env);
    await stage().succeed(stackFolder("one"), ["plan"], env);
  }, 240_000);
});

/** A stack for each name. */
const appOf = ({ identity }: Scenario, stacks: readonly string[]) => `
import { App, DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
const app = new App();
for (const id of ${JSON.stringify(stacks)}) {
  const stack = new TerraformStack(app, id);
  const identity = new IdentityService(stack, "identity", {
    authUrl: "${identity.authUrl}",
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  const token = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
  new DataResource(stack, "hook", {
    provisioners: [{ type: "local-exec", command: 'test -n "$TOKEN"', environment: { TOKEN: token.value } }],
  });
}
app.synth();
`;
