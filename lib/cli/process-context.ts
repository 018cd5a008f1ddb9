import { cleanEnvironment } from "../plugin/launcher/clean-environment";
import { type ProcessContext, takeVariables } from "../provider/process/process-context";
import type { CliContext } from "./cli-context";

/** The process context of a provider that Terraform would start in a folder. */
export function processContextIn(workingFolder: string, env: CliContext["env"]): ProcessContext {
  return {
    variables: takeVariables(cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS")),
    workingFolder,
    attached: false,
  };
}
