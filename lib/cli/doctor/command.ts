import type { CommandContext } from "../command";

/** Declares `iam-tokens doctor`. */
export function declareDoctor({ add, handler }: CommandContext): void {
  add("doctor")
    .summary("Finds out what would go wrong, and says what to do.")
    .usage("[DIR] [options]")
    .description(
      "Looks at this machine, at a project (of CDK for Terraform, or plain HCL) and at its identity service, and changes nothing. " +
        "One line a check; a cross has its remedy.",
    )
    .argument("[dir]", "The folder of the project. (default: this one)")
    .option("--only <checks>", "Only these checks, joined by commas; their names begin each line.")
    .option(
      "--auth-url <address>",
      "Reach this identity service, instead of those that the stacks or the environment name.",
    )
    .option(
      "--issue [project]",
      "Also issue the tokens that the stacks declare, or one for the account where they declare none; with a name, one for that project instead.",
    )
    .option(
      "--max-age <duration>",
      "Also see that the last rotation, an output of the stacks, is no older, such as 18h.",
    )
    .option("--output <name>", "The name of that output. (default: rotated_at)")
    .option("--json", "Print an array of all findings instead.")
    .addHelpText(
      "after",
      `
Examples:
  iam-tokens doctor
  iam-tokens doctor infrastructure --issue
  iam-tokens doctor --only rotation-age --max-age 18h --json

Exit code: 0 no cross, 1 a cross, 2 wrong arguments.`,
    )
    .allowExcessArguments(false)
    .action(handler(() => require("./index") as typeof import("./index")));
}
