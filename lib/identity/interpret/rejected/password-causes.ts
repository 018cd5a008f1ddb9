import { likely } from "../../../tokens/candidates";
import type { Scope } from "../../credential";
import { type Evidence, hasToken, nameOf, type Rejected } from "./rejected";

/**
 * Why a user with its password was refused, the most likely first. The service gives the same
 * answer for all causes, so the list has every one that its rules and the evidence allow, with the
 * place to check.
 *
 * @see spec, "Issue an IAM token", rules 1-3; "Authentication", 6; "Service user"
 */
export function causesOfPassword(rejected: Rejected, evidence: Evidence): readonly string[] {
  return hasToken(evidence)
    ? causesWithToken(rejected.scope, evidence)
    : causesWithoutToken(rejected, evidence);
}

/** Without a token for this user and password, any part of the request may be wrong. */
function causesWithoutToken(
  { scope, padding }: Rejected,
  { otherPassword, accountKnown }: Evidence,
): readonly string[] {
  const password =
    "The password is wrong: the control panel displays it once, when the service user is created, and can replace it.";
  return [
    ...padding,
    ...(otherPassword
      ? [likely("the password is wrong: this user got a token with another one.")]
      : [
          password,
          "The service user's name is wrong (control panel: Account, Users, tab Service users; visible to the account owner and to users with the role iam.admin).",
        ]),
    ...(accountKnown ? [] : ["The account number is wrong (control panel: upper right corner)."]),
    ...(scope.kind === "account"
      ? [
          "The service user's permission does not include the access area Account; the access area Projects is not enough for an account token.",
        ]
      : [
          `The ${nameOf(scope)} is wrong, or the project is in another account.`,
          "The service user's permission includes neither the access area Account, nor the access area Projects with this project selected.",
        ]),
    ...(otherPassword
      ? []
      : [
          "The user is not a service user: the service never issues IAM tokens to users who log in to the control panel.",
        ]),
    "The service user is disabled or locked, or its password has expired.",
  ];
}

/** The service checks user, password and account number first: these were right. */
function causesWithToken(scope: Scope, { accountTokenMs, lost }: Evidence): readonly string[] {
  const since =
    "the service user was disabled or locked, or its password was replaced or has expired, since then.";
  if (lost) {
    return [
      likely(since),
      "Its permission was changed since then.",
      ...(scope.kind === "project"
        ? [`The ${nameOf(scope)} is wrong, or the project was renamed or removed.`]
        : []),
    ];
  }
  const cause =
    scope.kind === "account"
      ? "the service user's permission does not include the access area Account; the access area Projects is not enough for an account token."
      : accountTokenMs === undefined
        ? `the ${nameOf(scope)} is wrong, the project is in another account, or the service user's permission (access area Projects) does not have this project selected.`
        : `the ${nameOf(scope)} is wrong, or the project is in another account. The permission is right: the access area Account includes all projects.`;
  return [likely(cause), `${since.charAt(0).toUpperCase()}${since.slice(1)}`];
}
