import type { Outcome } from "./outcome";
import { tokenCommand } from "./token-command";

/** `iam-tokens verify`. */
export const command = tokenCommand({
  description:
    "Asks an identity service whether it still accepts the IAM tokens of a Terraform state, or a token that it reads from standard input. " +
    "It changes nothing. The request is Keystone's, by the token itself; the service's documentation does not show it.",
  ofState: "Ask about the IAM tokens in this state or backup;",
  help: (called) => `  ${called} --auth-url https://cloud.api.example.com < token.txt
  ${called} --auth-url "$URL" --state terraform.tfstate
  terraform state pull | ${called} --auth-url "$URL" --json

Exit code: 0 each token is alive, 1 one is refused or not known, or there is none,
2 wrong arguments.`,
  question: (client, ...of) => client.validate(...of),
  // No request tells of a static token, and what only looks like a token is nobody's rotation.
  isAbout: ({ isStatic }) => isStatic === false,
  summaryOf: (place, outcomes) =>
    outcomes.length === 0
      ? `${place} holds no IAM token that is recognized: nothing was verified.\n`
      : `Alive: ${outcomes.filter(isAlive).length} of ${outcomes.length}.\n`,
  isGood: (outcomes) => outcomes.length > 0 && outcomes.every(isAlive),
});

const isAlive = ({ outcome }: Outcome): boolean => outcome === "alive";
