import type { CommandContext } from "../command";

/** Declares `iam-tokens doctor`. */
export function declareDoctor({ program, add, handler }: CommandContext): void {
  add("doctor")
    .summary("Finds problems before a run, and names the fixes.")
    .usage("[DIR] [options]")
    .description(
      "Checks this machine, a project (CDK for Terraform, or plain HCL) and its identity service, and changes nothing. " +
        "Prints one line for each check, and the fix for each failure.",
    )
    .argument("[dir]", "The folder of the project. (default: this one)")
    .option(
      "--only <checks>",
      "Only these checks, separated by commas; each line starts with the name of its check.",
    )
    .option(
      "--auth-url <address>",
      "Check this identity service instead of those in the stacks or the environment.",
    )
    .option(
      "--issue [project]",
      "Also issue the declared tokens, or one for the account if none is declared; with a name, one for that project instead.",
    )
    .option("--json", "Print all findings as a JSON array.")
    .addHelpText(
      "after",
      `
Examples:
  ${program} doctor
  ${program} doctor infrastructure --issue
  ${program} doctor --only init --json

Exit code: 0 no check failed, 1 a check failed, 2 wrong arguments.`,
    )
    .allowExcessArguments(false)
    .action(handler(() => require("./index") as typeof import("./index")));
}
