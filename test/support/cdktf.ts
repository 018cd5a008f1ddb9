import { join } from "node:path";
import { type CommandResult, type RunningCommand, startCommand } from "./command";
import { packageRoot } from "./project";
import { type Scratch, withScratch } from "./scratch";
import { type TerraformOptions, terraformEnvironment } from "./terraform";

/**
 * Runs the real cdktf CLI of node_modules in a project folder, to its end: `synth`, `deploy
 * --auto-approve`, `output`, `destroy
 * --auto-approve`. Nothing is set that makes the embedded provider work: what works here works for
 * a user.
 */
export function runCdktf(
  project: string,
  args: readonly string[],
  options: TerraformOptions = {},
): Promise<CommandResult> {
  return withScratch(
    options.scratch,
    (scratch) => startCdktf(project, args, { ...options, scratch }).finished,
  );
}

/** Starts the cdktf CLI in a process group of its own. */
export function startCdktf(
  project: string,
  args: readonly string[],
  { scratch, env, binary, ...rest }: TerraformOptions & { readonly scratch: Scratch },
): RunningCommand {
  const chosen = binary ?? process.env.TERRAFORM_BINARY_NAME;
  return startCommand(
    process.execPath,
    [join(packageRoot, "node_modules/cdktf-cli/bundle/bin/cdktf"), ...args],
    {
      ...rest,
      cwd: project,
      env: {
        ...terraformEnvironment(scratch),
        // No terminal is there: without it the CLI still draws as if there were one.
        CI: "true",
        ...(chosen === undefined ? {} : { TERRAFORM_BINARY_NAME: chosen }),
        ...env,
      },
    },
  );
}
