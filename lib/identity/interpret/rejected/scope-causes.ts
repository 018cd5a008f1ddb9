import { quote } from "../../../tokens";
import { likely } from "../../../tokens/candidates";
import type { SignedIn } from "../../credential";
import { type Described, nameOf, type Rejected } from "./rejected";

/** Why the user of an accepted identity token got no token for a scope, the most likely first. */
export function causesOfScope(
  { identityProvider }: Described<SignedIn>,
  { scope }: Rejected,
): readonly string[] {
  const where = scope.kind === "account" ? "the account" : "the project";
  return [
    likely(
      `the group has no role on ${where}: the mapping of identity provider ${quote(identityProvider)} puts this token into a group, and that group needs a role assignment there.`,
    ),
    "The mapping puts this token into another group than intended, or into none.",
    scope.kind === "account"
      ? "The account number is wrong (control panel: upper right corner)."
      : `The ${nameOf(scope)} is wrong, or the project is in another account.`,
  ];
}
