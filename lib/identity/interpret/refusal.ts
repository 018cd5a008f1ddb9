import { formatDuration, IamTokensError, quote, type Secret } from "../../tokens";
import { likely, withCandidates } from "../../tokens/candidates";
import type { PasswordCredential, Scope } from "../credential";
import type { Answer } from "../transport/transport";
import { requestIdOf } from "./headers";
import type { IssueContext } from "./issued-body";

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

/** What other answers of this process prove about a refused request. */
export interface Evidence {
  /** How long ago the same user and password got an account token, in milliseconds. */
  readonly accountTokenMs?: number | undefined;
  /** The same for a token of another project. */
  readonly projectTokenMs?: number | undefined;
  /** The same user and password were refused what they had got before. */
  readonly lost?: boolean;
  /** The same user got a token with another password. */
  readonly otherPassword?: boolean;
  /** Somebody got a token for this account. */
  readonly accountKnown?: boolean;
}

/** A 401, without the password. */
export interface Rejected {
  readonly credential: Omit<PasswordCredential, "password">;
  readonly scope: Scope;
  /** The status, with a safe request id. */
  readonly status: string;
  readonly attempts: string;
  readonly padding: readonly string[];
}

/** The part of a 401 that is needed to explain it. */
export function toRejected(
  answer: Answer,
  { credential: { password, ...credential }, scope, attempts }: Omit<IssueContext, "limits">,
): Rejected {
  const status = statusText(answer, password);
  return { credential, scope, status, attempts, padding: paddingOf(password) };
}

/**
 * A 401 with its possible causes, the most likely first. The service gives the same answer for all
 * of them, so the list names every cause that its rules and the evidence allow, with the place to
 * check.
 *
 * @see spec, "Issue an IAM token", rules 1-3; "Authentication", 6; "Service user"
 */
export function rejectedError(rejected: Rejected, evidence: Evidence = {}): IamTokensError {
  const { credential, scope, status, attempts } = rejected;
  const wanted =
    scope.kind === "account"
      ? "an account token"
      : `a token for project ${quote(scope.projectName ?? "")}`;
  const fact =
    `${credential.authUrl.tokens} answered ${status} to service user ${quote(credential.userName)} in account ` +
    `${quote(credential.accountId)}, who requested ${wanted}${attempts}.`;
  const { accountTokenMs: account, projectTokenMs: project } = evidence;
  const code = "ERR_CREDENTIALS_REJECTED";
  const ms = account ?? project;
  if (ms === undefined)
    return new IamTokensError(code, withCandidates(fact, causesOf(rejected, evidence)));
  const got = account === undefined ? "a project token" : "an account token";
  const when = ms < 1_000 ? "a moment" : formatDuration(ms);
  const known = `${fact} The same user and password got ${got} ${when} ago.`;
  return new IamTokensError(code, withCandidates(known, causesWithToken(scope, evidence)), {
    headline: `The service answered 401, although the same user and password got ${got}.`,
  });
}

/** Without a token for this user and password, any part of the request may be wrong. */
function causesOf(
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

function nameOf({ origin }: Extract<Scope, { kind: "project" }>): string {
  return origin === undefined ? "project's name" : `project's name (from ${origin})`;
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
