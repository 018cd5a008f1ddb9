import { defined, formatDuration, IamTokensError, KIND_OF_SCOPE } from "../../tokens";
import type { Proof } from "../credential";
import type { TimedToken } from "../issued-token";
import type { Limits } from "../limits";
import type { Answer, Outcome } from "../transport/transport";
import { faultError } from "./fault";
import { requestIdOf } from "./headers";
import { assertScope, bodyOf, type IssueContext } from "./issued-body";
import { isKeystones } from "./keystone-error";
import { lifetimeOf } from "./lifetime";
import { refusalError } from "./refusal";
import { isRejection, rejectedError } from "./rejected";
import { tokenOf } from "./token-header";

/**
 * Whether an answer has a body that {@link interpretIssue} reads: of a success, and of a 404 that
 * may be Keystone's.
 */
export const issueWantsBody =
  ({ way }: Pick<Proof, "way">) =>
  (status: number): boolean =>
    status === 201 || (status === 404 && way !== "password");

/** Whether a service does not know, or no longer knows, the unscoped token of a request. */
export const isUnscopedGone = (outcome: Outcome, { way }: Proof): boolean =>
  way === "identity token" &&
  outcome.kind === "answer" &&
  outcome.status === 404 &&
  isKeystones(outcome);

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
 * @see spec, "Issue an IAM token"
 */
export function interpretIssue(outcome: Outcome, context: IssueContext): TimedToken {
  const { credential, scope, limits, attempts } = context;
  const url = credential.authUrl.tokens;
  if (outcome.kind === "fault") throw faultError(outcome, url, limits, attempts);
  if (isRejection(outcome, credential)) throw rejectedError(outcome, context);
  const { secret: sent } = credential;
  if (outcome.status !== 201) throw refusalError(outcome, url, sent, attempts);

  const requestId = requestIdOf(outcome, sent);
  const about = requestId === undefined ? url : `${url} (request id ${requestId})`;
  const token = tokenOf(outcome, { maxLength: limits.tokenLength, sent, about });
  assertComplete(outcome, about, limits);
  const body = bodyOf(outcome);
  if (body !== undefined) assertScope(body, context, about);
  const { isCredentialsEnd, ...lifetime } = lifetimeOf(outcome, body, context, about);
  const credentialEndsAt = isCredentialsEnd ? lifetime.expiresAt : undefined;
  return {
    issued: {
      token,
      kind: KIND_OF_SCOPE[scope.kind],
      ...lifetime,
      authUrl: credential.authUrl,
      ...defined({ requestId, credentialEndsAt }),
    },
    receivedAt: outcome.receivedAt,
  };
}

/**
 * An answer beyond its limits is not Keystone's, whatever its first part contains.
 *
 * @throws ERR_ANSWER_INCOMPLETE
 */
export function assertComplete({ end }: Answer, about: string, limits: Limits): void {
  if (end !== "too_large" && end !== "too_slow") return;
  const limit =
    end === "too_large" ? `${limits.bodyBytes} bytes` : formatDuration(limits.requestMs);
  throw new IamTokensError(
    "ERR_ANSWER_INCOMPLETE",
    `${about} answered 201 with a body that did not end within ${limit}.`,
  );
}
