import { IamTokensError, quote, type Secret } from "../../tokens";
import { likely, withCandidates } from "../../tokens/candidates";
import type { Credential, Scope } from "../credential";
import type { Answer } from "../transport/transport";
import { requestIdOf } from "./headers";

/** The status, with the request id if it is safe to print. */
export function statusText(answer: Answer, secret: Secret): string {
  const id = requestIdOf(answer, secret);
  return id === undefined ? String(answer.status) : `${answer.status} (request id ${id})`;
}

/**
 * The error of an answer that is neither a success nor a 401. It contains only status and request
 * id.
 */
export function refusalError(
  answer: Answer,
  url: string,
  secret: Secret,
  attempts: string,
): IamTokensError {
  const { status } = answer;
  const problem = `${url} answered ${statusText(answer, secret)}${attempts}.`;
  if (status >= 300 && status < 400) return new IamTokensError("ERR_REDIRECTED", problem);
  if (status === 404) {
    return new IamTokensError(
      "ERR_ENDPOINT_NOT_FOUND",
      `${problem} The provider built that address from the given one: it adds nothing after /v3, /v3 after /identity, and /identity/v3 after anything else; then /auth/tokens.`,
    );
  }
  if (status === 429) return new IamTokensError("ERR_RATE_LIMITED", problem);
  if (status >= 400 && status < 500) return new IamTokensError("ERR_REQUEST_REFUSED", problem);
  if (status >= 500 && status < 600) return new IamTokensError("ERR_SERVICE_FAILED", problem);
  return new IamTokensError("ERR_ANSWER_UNEXPECTED", problem);
}

/**
 * Possible causes of a 401, in the order to check them. The service gives the same answer for all
 * of them, so the list names every cause that its rules allow, with the place to check.
 *
 * @see spec, "Issue an IAM token", rules 1-3; "Authentication", 6; "Service user"
 */
export function rejectedProblem(
  credential: Credential,
  scope: Scope,
  status: string,
  attempts: string,
): string {
  const wanted =
    scope.kind === "account"
      ? "an account token"
      : `a token for project ${quote(scope.projectName)}`;
  const candidates = [
    ...paddingOf(credential.password),
    "The service user's name is wrong (control panel: Account, Users, tab Service users; visible to the account owner and to users with the role iam.admin).",
    "The user is not a service user: the service never issues IAM tokens to users who log in to the control panel.",
    "The password is wrong: the control panel displays it once, when the service user is created, and can replace it.",
    "The account number is wrong (control panel: upper right corner).",
    ...(scope.kind === "account"
      ? [
          "The service user's permission does not include the access area Account; the access area Projects is not enough for an account token.",
        ]
      : [
          "The project's name is wrong, or the project is in another account.",
          "The service user's permission includes neither the access area Account, nor the access area Projects with this project selected.",
        ]),
    "The service user is disabled or locked, or its password has expired.",
  ];
  return withCandidates(
    `${credential.authUrl.tokens} answered ${status} to service user ${quote(credential.userName)} in account ` +
      `${quote(credential.accountId)}, who requested ${wanted}${attempts}.`,
    candidates,
  );
}

/** A password that was stored with additional characters, as editors, Windows and copying add. */
function paddingOf(password: Secret): readonly string[] {
  const text = password.reveal();
  if (text.trim() === text) return [];
  const what = text.endsWith("\r")
    ? "ends with a carriage return (\\r), like a Windows line"
    : "starts or ends with white space";
  return [likely(`the password that was sent ${what}. Store it without that.`)];
}
