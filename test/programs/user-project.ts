import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Scenario } from "../scenarios/world";
import { commandLine, startCdktf } from "../support/framework";
import { makeProject, type Project, type ProjectOptions, packageRoot } from "../support/project";
import { terraformEnvironment } from "../support/terraform";
import { FRAMEWORK, type Framework } from "../support/terrain";

type Env = Readonly<Record<string, string>>;

/** The project of a user, one for each test of `scenarios`; removed after it. */
export function userProject(stage: () => Scenario) {
  let project: Project | undefined;
  afterEach(() => {
    project?.remove();
    project = undefined;
  });
  return {
    start(app: string, options: Partial<ProjectOptions> = {}): Project {
      project = makeProject({ app, ...options });
      return project;
    },
    /** Runs the command line with the secrets; a failure is an error that shows the output. */
    async cdktf(
      args: readonly string[],
      env: Env = {},
      framework: Framework = FRAMEWORK,
    ): Promise<string> {
      const { scratch, secrets } = stage();
      const { exitCode, text } = await startCdktf(project?.folder ?? "", args, {
        scratch,
        env: { ...secrets, ...env },
        framework,
      }).finished;
      if (exitCode !== 0)
        throw new Error(`${framework} ${args[0]} ended with ${exitCode}:\n${text}`);
      return text;
    },
  };
}

/**
 * The environment of a shell in a project, which finds this project's commands as after an
 * installation, and npm's without a registry.
 */
export function shellIn(
  folder: string,
  { scratch }: Pick<Scenario, "scratch">,
): Record<string, string> {
  const bin = join(folder, "node_modules/.bin");
  mkdirSync(bin);
  const inPackage = { ...COMMANDS, [`${FRAMEWORK}-iam-tokens`]: COMMANDS["iam-tokens"] };
  for (const [name, path] of Object.entries(inPackage))
    symlinkSync(join(packageRoot, path), join(bin, name));
  symlinkSync(commandLine()[1], join(bin, FRAMEWORK));
  return {
    ...terraformEnvironment(scratch),
    PATH: `${dirname(commandLine()[0])}:${scratch.env.PATH}`,
    CI: "true",
    TSX_DISABLE_CACHE: "1",
    npm_config_offline: "true",
    // npm leaves one in the temporary folder, from Node.js 22 on.
    NODE_DISABLE_COMPILE_CACHE: "1",
  };
}

const COMMANDS = {
  // Both packages have this one: the kits name it.
  "cdktf-iam-tokens": "dist/cli/main.js",
  "iam-tokens": "dist/cli/main.js",
  "iam-tokens-identity-server": "dist/testing/main.js",
  jest: "node_modules/jest/bin/jest.js",
  tsc: "node_modules/typescript/bin/tsc",
};

export const DEPLOY = ["deploy", "--auto-approve"];
export const DESTROY = ["destroy", "--auto-approve"];

/** The identity service of a program's `stack`. */
export const identityOf = ({ identity }: Scenario): string => `
const identity = new IdentityService(stack, "identity", {
  authUrl: "${identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
`;

/** A stack `main` with the ephemeral token `web`, and what a test has in addition. */
export const programOf = (stage: Scenario, body = "", imports = ""): string => `
import { App, DataResource, TerraformOutput, TerraformStack } from "cdktf";
import { IdentityService, resolveTokens, SecretRef, ServiceUserToken, TokenResolution, TokenScope } from "cdktf-iam-tokens";
${imports}
const app = new App();
const stack = new TerraformStack(app, "main");
${identityOf(stage)}
const token = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
${body}
app.synth();
`;
