import type { CommandContext } from "../command";

/** Declares `iam-tokens issue`. */
export function declareIssue({ add, handler }: CommandContext): void {
  add("issue")
    .summary("Issues one token, for scripts.")
    .description(
      "Issues one IAM token and prints it. Address, account, user and password come from the environment (OS_AUTH_URL, " +
        "OS_USER_DOMAIN_NAME, OS_USERNAME, OS_PASSWORD) or from clouds.yaml, by the rules of the provider. A password that is given " +
        "nowhere is asked for, without echo, when there is a terminal. No secret can be given as an argument: arguments can be seen by " +
        "every user of a machine.",
    )
    .option(
      "--scope <scope>",
      '"account" or "project". (default: project, when --project is given)',
    )
    .option(
      "--project <name>",
      "Name of the project. (default: OS_PROJECT_NAME, or what the cloud names, with --scope project)",
    )
    .option("--cloud <name>", "Entry of clouds.yaml. (default: OS_CLOUD)")
    .option("--password-file <file>", "File that holds the password, in the place of OS_PASSWORD.")
    .option(
      "--min-remaining <duration>",
      "How long the token must live, such as 8h; a service that issues shorter ones is an error.",
    )
    .option("--header", "Print the whole header line.")
    .option(
      "--env [name]",
      "Print lines for a POSIX shell that export the token. (default name: IAM_TOKEN)",
    )
    .option("--json", "Print the token and what is known of it.")
    .option("--show", "Print to a terminal, too.")
    .addHelpText(
      "after",
      `
Examples:
  iam-tokens issue --project web --header | curl -H @- https://api.example.com/…
  eval "$(iam-tokens issue --scope account --env)"
  iam-tokens issue --project web --cloud prod --json | jq -r .expires_at

Exit code: 0 a token was issued, 1 it was not, 2 wrong arguments.`,
    )
    .allowExcessArguments(false)
    .action(handler(() => require("./index") as typeof import("./index")));
}
