import { join } from "node:path";
import { startCommand } from "./command";
import { packageRoot } from "./project";
import { type TerraformOptions, terraformEnvironment } from "./terraform";
import { cdktnCommandLine, FRAMEWORK, type Framework } from "./terrain";

/** A framework's command line, as a program and its first argument. */
export function commandLine(
  framework: Framework = FRAMEWORK,
): readonly [program: string, script: string] {
  if (framework === "cdktn") return cdktnCommandLine();
  return [process.execPath, join(packageRoot, "node_modules/cdktf-cli/bundle/bin/cdktf")];
}

/**
 * Starts the real command line in a project folder, in its own process group: `synth`, `deploy
 * --auto-approve`, `output`, `destroy --auto-approve`. It has no settings for the embedded provider:
 * if it works here, it works for a user.
 *
 * @param options `framework` is by default that of the tests' group.
 */
export function startCdktf(
  project: string,
  args: readonly string[],
  { scratch, env, framework, ...rest }: TerraformOptions & { readonly framework?: Framework },
) {
  const [program, script] = commandLine(framework);
  const chosen = process.env.TERRAFORM_BINARY_NAME;
  return startCommand(program, [script, ...args], {
    ...rest,
    cwd: project,
    env: {
      ...terraformEnvironment(scratch),
      // Without a terminal, the CLI would otherwise still draw as if there were one.
      CI: "true",
      // As with npx: the app's commands are those of the project.
      PATH: `${join(packageRoot, "node_modules/.bin")}:${scratch.env.PATH}`,
      ...(chosen === undefined ? {} : { TERRAFORM_BINARY_NAME: chosen }),
      ...env,
    },
  });
}
