import type { CommandContext } from "../command";

/** Declares `iam-tokens revoke`. */
export function declareRevoke({ add, handler, program }: CommandContext): void {
  add("revoke")
    .summary("Revokes a token, or all tokens in a state.")
    .description(
      "Revokes a token that it reads from standard input, or every IAM token in a Terraform state or a backup of one. " +
        "It needs no password: a token revokes itself, at the identity service that issued it. Prints one line for each token, " +
        "with its fingerprint and its service. A token of a state that is already gone is not an error; a token itself that the service does not know is one. " +
        "Certificates: the PEM files in OS_CACERT (the service's authorities), OS_CERT and OS_KEY (a client's), or those of the cloud that OS_CLOUD names.",
    )
    .option("--env <name>", "Read the token from this environment variable instead.")
    .option(
      "--state <file>",
      'Revoke the tokens in this state or backup; "-" is standard input, where a state is also recognized without this option.',
    )
    .option(
      "--auth-url <address>",
      "Identity service of a token without a state, or of one whose state does not name it. (default: OS_AUTH_URL, or the address of the cloud OS_CLOUD)",
    )
    .option("--json", "Print the outcomes as a JSON array.")
    .addHelpText(
      "after",
      `
Examples:
  ${program} revoke --state terraform.first.tfstate.backup
  terraform state pull | ${program} revoke
  ${program} revoke --env LEAKED_TOKEN --auth-url https://cloud.api.example.com

Exit code: 0 no token is valid any more, 1 one may still be, 2 wrong arguments.`,
    )
    .allowExcessArguments(false)
    .action(handler(() => require("./index") as typeof import("./index")));
}
