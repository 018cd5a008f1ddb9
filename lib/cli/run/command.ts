import { FRAMEWORK } from "../../framework";
import type { CommandContext } from "../command";

/** Declares `iam-tokens run`. */
export function declareRun({ program, add, handler }: CommandContext): void {
  add("run")
    .summary("Runs a command with one provider for all Terraform processes in it.")
    .usage("[options] COMMAND…")
    .description(
      `Runs a command (terraform, tofu, ${FRAMEWORK.name}, make, an npm script) with one running provider for every Terraform in it: each distinct ` +
        "token is issued once for all stacks and phases (data and ephemeral tokens are never shared, because readers of the state would " +
        "hold the ephemeral one). Terraform neither launches nor searches for the provider.",
    )
    .argument("[command...]", "The command and its arguments, with all of its own options.")
    .passThroughOptions()
    .option(
      "--no-cache",
      "Request a new token for each use. By default tokens are reused while they are valid long enough.",
    )
    .option("--json <file>", "Also write the summary as JSON, readable by you only.")
    .option("--quiet", "Print no summary.")
    .addHelpText(
      "after",
      `
Examples:
  ${program} run ${FRAMEWORK.name} deploy '*' --auto-approve
  ${program} run --json tokens.json make release
  ${program} run sh -c 'terraform init && terraform apply'

Exit code: that of the command; 128 + n if signal n ended it, 127 if it was not found, 126 if it
cannot be executed; 2 wrong arguments, 1 the provider cannot start.`,
    )
    .action(handler(() => require("./index") as typeof import("./index")));
}
