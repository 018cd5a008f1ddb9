import type { CommandContext } from "../command";

/** Declares `iam-tokens run`. */
export function declareRun({ add, handler }: CommandContext): void {
  add("run")
    .summary("Runs a command with one provider for all Terraform processes in it.")
    .usage("[options] -- COMMAND…")
    .description(
      "Runs a command (terraform, tofu, cdktf, make, an npm script) with one running provider for every Terraform in it: each distinct " +
        "credential is issued once for all stacks and phases, nothing is launched per phase, and no Terraform needs to find the provider.",
    )
    .argument("[command...]", "The command and its arguments.")
    .option(
      "--no-cache",
      "Ask the service anew at each opening of a token. By default a token is handed out again while it lives long enough.",
    )
    .option(
      "--cache-entries <n>",
      "How many tokens are remembered; the least recently used goes first. (default: 1024)",
    )
    .option("--json <file>", "Also write the summary as JSON, readable for you alone.")
    .option("--quiet", "Print no summary.")
    .addHelpText(
      "after",
      `
Examples:
  iam-tokens run -- cdktf deploy '*' --auto-approve
  iam-tokens run --json tokens.json -- make release
  iam-tokens run -- sh -c 'terraform init && terraform apply'

Exit code: that of the command; 128 + n when signal n has ended it, 127 when it is not found, 126 when it cannot be run,
2 for wrong arguments, 1 when the provider cannot start.`,
    )
    .action(handler(() => require("./index") as typeof import("./index")));
}
