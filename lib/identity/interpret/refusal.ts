import { IamTokensError, quote, type Secret } from "../../tokens";
import type { Credential, Scope } from "../credential";
import type { Answer } from "../transport/transport";
import { requestIdOf } from "./headers";

/** The status, with the request id when there is one that may be shown. */
export function statusText(answer: Answer, secret: Secret): string {
  const id = requestIdOf(answer, secret);
  return id === undefined ? String(answer.status) : `${answer.status} (request id ${id})`;
}

/**
 * The error of an answer that is neither a success nor a 401. Only status and request id enter it.
 */
export function refusalError(
  answer: Answer,
  url: string,
  secret: Secret,
  told: string,
): IamTokensError {
  const { status } = answer;
  const problem = `${url} answered ${statusText(answer, secret)}${told}.`;
  if (status >= 300 && status < 400) return new IamTokensError("ERR_REDIRECTED", problem);
  if (status === 404) {
    return new IamTokensError(
      "ERR_ENDPOINT_NOT_FOUND",
      `${problem} That address was built from the one given: one that ends in /v3 is used as it is, one that ends in /identity gets /v3, any other gets /identity/v3; then /auth/tokens follows.`,
    );
  }
  if (status === 429) return new IamTokensError("ERR_RATE_LIMITED", problem);
  if (status >= 400 && status < 500) return new IamTokensError("ERR_REQUEST_REFUSED", problem);
  if (status >= 500 && status < 600) return new IamTokensError("ERR_SERVICE_FAILED", problem);
  return new IamTokensError("ERR_ANSWER_UNEXPECTED", problem);
}

/**
 * What may be behind a 401, in the order to check it: the service answers the same for all of it,
 * so all that follows from its rules is named, with where each thing is found.
 *
 * @see spec, "Issue an IAM token", rules 1-3; "Authentication", 6; "Service user"
 */
export function rejectedProblem(
  credential: Credential,
  scope: Scope,
  status: string,
  told: string,
): string {
  const wanted =
    scope.kind === "account"
      ? "an account token"
      : `a token of project ${quote(scope.projectName)}`;
  const candidates = [
    ...paddingOf(credential.password),
    "The service user's name is wrong (control panel: Account, Users, tab Service users; its account owner and users with the role iam.admin see it).",
    "It is not a service user: a user who logs in to the control panel is never issued IAM tokens.",
    "The password is wrong: it is shown when the service user is created, and can be replaced with a new one there.",
    "The account number is wrong (control panel: upper right corner).",
    ...(scope.kind === "account"
      ? [
          "The service user's permission does not have the access area Account; the access area Projects is not enough for an account token.",
        ]
      : [
          "The project's name is wrong, or the project is not in this account.",
          "The service user's permission has neither the access area Account, nor the access area Projects with this project chosen.",
        ]),
    "The service user is disabled or locked, or its password has expired.",
  ];
  return (
    `${credential.authUrl.tokens} answered ${status} to service user ${quote(credential.userName)} of account ` +
    `${quote(credential.accountId)}, who asked for ${wanted}${told}. The service does not say why. Candidates:\n` +
    `${candidates.map((candidate) => `- ${candidate}`).join("\n")}\n`
  );
}

/** A password that was stored with more than itself, as editors, Windows and copying do. */
function paddingOf(password: Secret): readonly string[] {
  const text = password.reveal();
  if (text.trim() === text) return [];
  const what = text.endsWith("\r")
    ? "ends with a carriage return (\\r), as lines of Windows do"
    : "has white space at its ends";
  return [`Most likely: the password that was sent ${what}. Store it again without.`];
}
