import type { CommandContext } from "../command";

/** Declares `iam-tokens install`. */
export function declareInstall({ program, add, handler }: CommandContext): void {
  add("install")
    .summary("Installs the provider into a filesystem mirror, for plain HCL.")
    .usage("[--packed] DIR")
    .description(
      "Copies the provider into a folder that Terraform and OpenTofu accept as a filesystem mirror, and prints the configuration " +
        "lines for it. It does not edit your CLI configuration.",
    )
    .argument(
      "<dir>",
      "The folder. It is created if needed; other providers and versions in it stay.",
    )
    .option(
      "--packed",
      "Write a zip archive for each platform, and the lists of a network mirror: a web server can serve the folder.",
    )
    .addHelpText(
      "after",
      `
Examples:
  ${program} install /usr/local/share/terraform/providers
  ${program} install ./mirror > mirror.tfrc
  TF_CLI_CONFIG_FILE=mirror.tfrc terraform init
  ${program} install --packed /srv/www/terraform

Exit code: 0 installed, 1 not installed, 2 wrong arguments.`,
    )
    .allowExcessArguments(false)
    .action(handler(() => require("./index") as typeof import("./index")));
}
