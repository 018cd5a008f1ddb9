import { defined, formatDuration, IamTokensError, KIND_OF_SCOPE } from "../../tokens";
import type { Proof } from "../credential";
import type { TimedToken } from "../issued-token";
import { isKeystones, requestIdOf, unreadable } from "./answer";
import { assertScope } from "./assert-scope";
import { answerOf, type Exchanged } from "./exchanged";
import { type Answered, bodyOf, type IssueContext } from "./issued-body";
import { lifetimeOf, passwordEnd } from "./lifetime";
import { refusalError } from "./refusal";
import { isRejection, rejectedError } from "./rejected";
import { tokenOf } from "./token-header";

/** Whether a service does not know, or no longer knows, the unscoped token of a request. */
export const isUnscopedGone = (exchanged: Exchanged, { way }: Proof): boolean =>
  way === "identity token" &&
  exchanged.outcome.kind === "answer" &&
  exchanged.outcome.status === 404 &&
  isKeystones(answerOf(exchanged));

/** It has forgotten it, or its servers do not share their keys. */
export const unscopedGoneError = (url: string): IamTokensError =>
  new IamTokensError(
    "ERR_ANSWER_UNEXPECTED",
    `${url} answered 404 to the unscoped token that it had just issued.`,
    { remedy: "All servers of the identity service need the same Fernet keys: tell its operator." },
  );

/**
 * Interprets the outcome of a token-issuing request: the issued token, or the error for the user.
 * Pure: a recorded answer gives the same result as a live one.
 *
 * @throws every ERR_ code of "The identity service's answer"
 * @see test/tokens/spec/request-authentication.md, "Rules of issuing an IAM token"
 */
export function interpretIssue(exchanged: Exchanged, context: IssueContext): TimedToken {
  const { credential, scope, storedIn } = context;
  const answer = answerOf(exchanged);
  if (isRejection(answer, credential)) throw rejectedError(answer, exchanged, context);
  if (answer.status !== 201) throw refusalError(answer, exchanged, 201, credential.authUrl);

  const { url, secret, limits } = exchanged;
  const requestId = requestIdOf(answer, secret);
  const about = requestId === undefined ? url : `${url} (request id ${requestId})`;
  const token = tokenOf(answer, exchanged, about);
  const body = bodyOf(answer);
  assertScope(body, context, about);
  const { endsWithoutZone, warnings, ...life } = lifetimeOf(answer, body, limits, about);
  const answered = life.expiresAt.getTime() - life.remainingMs;
  // An application credential outlives the password of its user.
  const password = passwordEnd(credential.way === "password" ? body : {}, answered);
  const isCredentialsEnd = endsWithoutZone && credential.way === "application credential";
  const why = unreadable(answer);
  if (why !== undefined && storedIn !== undefined)
    throw new IamTokensError(
      "ERR_ANSWER_UNEXPECTED",
      `${about} answered 201 with a body that ${why}.`,
      {
        more: "A token whose scope and end are not known is not stored.",
        remedy: UNREAD_REMEDY,
      },
    );
  const guess = `The body of the answer ${why}: the token's lifetime is assumed to be ${formatDuration(life.remainingMs)}, and its scope was not checked. ${UNREAD_REMEDY}`;
  return {
    token,
    kind: KIND_OF_SCOPE[scope.kind],
    ...life,
    warnings: [...warnings, ...password.warnings, ...(why === undefined ? [] : [guess])],
    authUrl: credential.authUrl,
    ...defined({
      requestId,
      credentialEndsAt: isCredentialsEnd ? life.expiresAt : undefined,
      passwordEndsAt: password.passwordEndsAt,
      userId: plainId(body.user),
      projectId: plainId(body.project),
    }),
  };
}

const UNREAD_REMEDY =
  "Let the proxies and gateways between pass the service's answer on unchanged.";

/** An id of the answer, which becomes an attribute that users print. */
const plainId = ({ id }: Answered = {}): string | undefined =>
  id !== undefined && /^[\x21-\x7e]{1,255}$/.test(id) ? id : undefined;
