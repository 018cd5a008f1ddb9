import type { CommandContext } from "../command";

/** Declares `iam-tokens issue`. */
export function declareIssue({ program, add, handler }: CommandContext): void {
  add("issue")
    .summary("Issues one token, for scripts.")
    .description(
      "Issues one IAM token and prints it: one that a stack declares (--stack, --token), or one of --scope or --project. " +
        "For the second, --auth-url, --account and --user say who requests it; by default the environment (OS_AUTH_URL, OS_USER_DOMAIN_NAME, " +
        "OS_USERNAME, OS_PASSWORD) or clouds.yaml, by the provider's rules. Without a password, a terminal " +
        "prompts for one, without echo. Secrets cannot be given as arguments, because arguments are visible to " +
        "every user of the machine.",
    )
    .option("--stack <name>", "The synthesized stack of --token. (default: the only one)")
    .option(
      "--token <name>",
      "A token of that stack, by id or path of its construct, or its name in Terraform. (default: the only one)",
    )
    .option(
      "--scope <scope>",
      '"account" or "project". (default: project, when --project is given)',
    )
    .option(
      "--project <name>",
      "Name of the project. (default: OS_PROJECT_NAME, or what the cloud names, with --scope project)",
    )
    .option("--auth-url <address>", "Address of the identity service.")
    .option("--account <number>", "Number of the account.")
    .option("--user <name>", "Name of the service user.")
    .option("--cloud <name>", "Entry of clouds.yaml. (default: OS_CLOUD)")
    .option("--password-env <name>", "Variable that holds the password, instead of OS_PASSWORD.")
    .option("--password-file <file>", "File that holds the password, instead of OS_PASSWORD.")
    .option(
      "--min-remaining <duration>",
      "Least lifetime of the token, for example 8h. Fails if the service issues a shorter one.",
    )
    .option("--header", "Print the whole header line.")
    .option(
      "--env [name]",
      "Print POSIX shell lines that export the token. (default name: IAM_TOKEN)",
    )
    .option("--json", "Print the token and its properties as JSON.")
    .option("--show", "Print even to a terminal.")
    .addHelpText(
      "after",
      `
Examples:
  ${program} issue --stack app --token project --header
  ${program} issue --project web --header | curl -H @- https://api.example.com/…
  eval "$(${program} issue --scope account --env)"
  ${program} issue --project web --cloud prod --json | jq -r .expires_at

Exit code: 0 a token was issued, 1 it was not, 2 wrong arguments.`,
    )
    .allowExcessArguments(false)
    .action(handler(() => require("./index") as typeof import("./index")));
}
