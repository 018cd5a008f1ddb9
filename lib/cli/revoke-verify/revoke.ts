import type { Outcome } from "./outcome";
import { tokenCommand } from "./token-command";

/** `iam-tokens revoke`. */
export const command = tokenCommand({
  description:
    "Revokes a token that it reads from standard input, or every IAM token that it recognizes in a Terraform state or a backup of one: " +
    "by the fingerprint in an object, by a header's name, or by Keystone's form; not in what is packed, encrypted or encoded. " +
    "A token revokes itself. One that its service refuses is over: no error.",
  ofState: "Revoke the tokens in this state or backup;",
  help: (called) => `  ${called} --auth-url https://cloud.api.example.com < token.txt
  terraform state pull | ${called} --auth-url "$URL"
  ${called} --auth-url "$URL" --state terraform.first.tfstate.backup

Exit code: 0 each recognized token is revoked or refused, 1 one may still be valid,
2 wrong arguments.`,
  question: (client, ...of) => client.revoke(...of),
  isAbout: () => true,
  summaryOf,
  isGood: (outcomes) => !outcomes.some(mayLive),
});

/** Whether neither a request has ended the token, nor its service refuses it. */
const mayLive = ({ outcome }: Outcome) => outcome !== "revoked" && outcome !== "refused";

/** The last line. */
export function summaryOf(place: string, outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return `${place} holds no token that is recognized: nothing to do.\n`;
  const count = (isCounted: (each: Outcome) => boolean) => outcomes.filter(isCounted).length;
  const [refused, open] = [count(({ outcome }) => outcome === "refused"), count(mayLive)];
  const rest = [refused && ` Refused already: ${refused}.`, open && ` Not ended: ${open}.`];
  const revoked = outcomes.length - refused - open;
  return `Revoked: ${revoked} of ${outcomes.length}.${rest.filter(Boolean).join("")}\n`;
}
