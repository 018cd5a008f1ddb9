import { likely } from "../../../tokens/candidates";
import type { ApplicationCredential } from "../../credential";
import { type Described, type Evidence, hasToken, type Rejected } from "./rejected";

/** Why an application credential was refused, the most likely first. */
export function causesOfApplicationCredential(
  { by }: Described<ApplicationCredential>,
  { isUnknown, padding }: Rejected,
  evidence: Evidence,
): readonly string[] {
  if (hasToken(evidence)) {
    return [
      likely(
        "since then it has expired or was deleted, or its user was disabled or has lost its roles on the project.",
      ),
    ];
  }
  if (isUnknown) {
    return "id" in by
      ? [
          likely(
            "no application credential has this id: the id is wrong, or the credential was deleted. Keystone deletes it when its user loses its roles on the project.",
          ),
          "Its user was deleted.",
        ]
      : [likely("the account has no user with this name.")];
  }
  return [
    ...padding,
    "The secret is wrong: Keystone displays it once, when the application credential is created.",
    "The application credential has expired.",
    ...("id" in by
      ? []
      : [
          "The user has no application credential with this name, or it was deleted.",
          "The account number is wrong (control panel: upper right corner).",
        ]),
    "The user is disabled or locked, or has lost its roles on the project.",
  ];
}
