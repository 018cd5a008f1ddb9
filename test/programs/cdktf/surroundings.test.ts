import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sourceOf } from "../../scenarios/consumers";
import { iamTokens, socketFolders } from "../../scenarios/run-support";
import { REQUESTS_OF_APPLY, type Scenario, scenarios } from "../../scenarios/scenario";
import { startCommand } from "../../support/command";
import { commandLine } from "../../support/framework";
import { makeProject, type Project } from "../../support/project";
import { terraformBinary, terraformEnvironment } from "../../support/terraform";

// Settings and programs around the command line on users' machines. Rows that do not disturb each
// other are tried at once: each deploy takes seconds.

/** A closed port: every connection to it fails. */
const NOWHERE = "http://127.0.0.1:1";
const SECURE_NOWHERE = "https://127.0.0.1:1/";

function pathOf(program: string): string {
  const found = execFileSync("/bin/sh", ["-c", 'command -v "$0"', program], { encoding: "utf8" });
  return realpathSync(found.trim());
}

scenarios(
  "the cdktf command line",
  (stage) => {
    let project: Project | undefined;
    afterEach(() => {
      project?.remove();
      project = undefined;
    });

    function start(...stacks: readonly string[]): Project {
      project = makeProject({ app: appOf(stage(), stacks) });
      return project;
    }

    async function deploy(
      { folder }: Project,
      env: Readonly<Record<string, string>>,
      ...stacks: readonly string[]
    ): Promise<void> {
      const { exitCode, text } = await startCommand(
        "/bin/sh",
        [
          "-c",
          'umask 077; exec "$@"',
          "sh",
          ...commandLine(),
          "deploy",
          ...stacks,
          "--auto-approve",
        ],
        { cwd: folder, env },
      ).finished;
      if (exitCode !== 0) throw new Error(text);
    }

    test("deploys two stacks with a plugin cache, proxies, a preload, another provider attached, umask 077, and without HOME and /usr/bin", async () => {
      const at = start("one", "two");
      const { scratch, secrets } = stage();
      const [bin, cache] = [join(scratch.folder, "bin"), join(scratch.folder, "cache")];
      for (const folder of [bin, cache]) mkdirSync(folder);
      const preload = join(scratch.folder, "preload.cjs");
      const loaded = join(scratch.folder, "loaded");
      // As in a Nix shell, where what is in PATH is there by intention; sh is /bin/sh.
      for (const name of ["mkfifo", "rm"]) symlinkSync(pathOf(name), join(bin, name));
      symlinkSync(process.execPath, join(bin, "node"));
      symlinkSync(pathOf(terraformBinary()), join(bin, "terraform"));
      const logs = `require("node:fs").appendFileSync(${JSON.stringify(loaded)}, process.argv[1] + "\\n");`;
      writeFileSync(preload, logs);
      const { HOME, ...scratchEnv } = terraformEnvironment(scratch);
      const env = {
        ...scratchEnv,
        ...secrets,
        CI: "true",
        PATH: bin,
        TERRAFORM_BINARY_NAME: "terraform",
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
        await deploy(other, env, "other");
        await deploy(at, env, "one", "two");
      } finally {
        other.remove();
      }
      expect(stage().requests()).toBe(3 * REQUESTS_OF_APPLY);
      expect(readFileSync(loaded, "utf8")).toMatch(/main\.ts$/m);
      expect(readFileSync(loaded, "utf8")).not.toMatch(/main\.cjs$/m);
      for (const stack of ["one", "two"])
        expect(readFileSync(join(at.folder, stack, "it"), "utf8")).not.toBe("");
      expect((await stage().terraform(at.stackFolder("one"), ["plan"], env)).exitCode).toBe(1);
      await deploy(at, env, "one");
    }, 240_000);

    test("deploys a stack with a mirror in ~/.terraformrc and TF_DATA_DIR; and two of one credential, by one request, with only a network mirror under iam-tokens run", async () => {
      const at = start("one", "two");
      const { scratch, secrets } = stage();
      const { stdout: lines } = await iamTokens(["install", join(scratch.folder, "mirror")], {
        scratch,
      });
      const network = (more: string) => `network_mirror {\n  url = "${SECURE_NOWHERE}"\n${more}}\n`;
      const installation = (text: string) =>
        writeFileSync(join(scratch.home, ".terraformrc"), text);
      // A company's mirror for everything else; the lines exclude the provider from `direct`.
      const exclude = '  exclude = ["npm.invalid/*/*"]\n';
      installation(lines.replace("{\n", `{\n${network(exclude)}`));
      const env = { ...terraformEnvironment(scratch), ...secrets, CI: "true" };
      const elsewhere = { ...env, TF_DATA_DIR: "../data" };
      await deploy(at, elsewhere, "one");
      expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
      expect(readdirSync(at.stackFolder("."))).toEqual(["data", "one", "two"]);
      const chdir = `-chdir=${at.stackFolder("one")}`;
      await stage().succeed(at.folder, [chdir, "plan"], elsewhere);
      expect(stage().requests()).toBe(1);

      installation(`provider_installation {\n${network("")}}\n`);
      // It asks the mirror, which is a closed port.
      const failed = await stage().terraform(at.stackFolder("one"), ["init", "-no-color"], env);
      expect(failed.text.replace(/[│\s]+/g, " ")).toContain(`${SECURE_NOWHERE}npm.invalid`);
      const run = ["run", "--", ...commandLine(), "deploy", "*", "--auto-approve"];
      const { exitCode, text } = await iamTokens(run, { scratch, cwd: at.folder, env });
      if (exitCode !== 0) throw new Error(text);
      expect(stage().requests()).toBe(1);
      expect(text).toMatch(/iam-tokens: uses: \d+, requests: 1, /);
      expect(socketFolders(scratch)).toEqual([]);
      // Without what a configuration says otherwise: the folder that init looks into is named.
      rmSync(join(scratch.home, ".terraformrc"));
      await stage().succeed(at.folder, [chdir, "init", "-plugin-dir=terraform.d/plugins"], env);
      await stage().succeed(at.folder, [chdir, "plan"], env);
    }, 240_000);
  },
  { consumers: true },
);

/** A stack for each name; where another provider is attached, it is given the token. */
function appOf({ identity }: Scenario, stacks: readonly string[]): string {
  return `
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
  if (process.env.TF_REATTACH_PROVIDERS !== undefined) {
    stack.addOverride("terraform.required_providers.store", { source: "${sourceOf("store")}", version: ">= 0.0.0" });
    stack.addOverride("provider.store", [{ folder: \`\${process.cwd()}/\${id}\` }]);
    stack.addOverride("resource.store_secret.it", { name: "it", value_wo: token.value, value_wo_version: 1 });
  }
}
app.synth();
`;
}
