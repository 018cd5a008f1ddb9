import type { CommandContext } from "../command";

/** Declares `iam-tokens install`. */
export function declareInstall({ add, handler }: CommandContext): void {
  add("install")
    .summary("Lays the provider out as a filesystem mirror, for plain HCL.")
    .usage("DIR")
    .description(
      "Puts the provider into a folder that Terraform and OpenTofu take as a filesystem mirror, and prints the lines of their " +
        "configuration that name it. Those are not written anywhere: the configuration is yours.",
    )
    .argument(
      "<dir>",
      "The folder. It is made when it is not there; other providers and other versions in it stay.",
    )
    .addHelpText(
      "after",
      `
Examples:
  iam-tokens install /usr/local/share/terraform/providers
  iam-tokens install ./mirror > mirror.tfrc && TF_CLI_CONFIG_FILE=mirror.tfrc terraform init

Exit code: 0 it is there, 1 it cannot be put there, 2 wrong arguments.`,
    )
    .allowExcessArguments(false)
    .action(handler(() => require("./index") as typeof import("./index")));
}
