import { defined, formatDuration, IamTokensError, KIND_OF_SCOPE } from "../../tokens";
import type { TimedToken } from "../issued-token";
import type { Outcome } from "../transport/transport";
import { faultError } from "./fault";
import { requestIdOf } from "./headers";
import { assertScope, bodyOf, type IssueContext } from "./issued-body";
import { lifetimeOf } from "./lifetime";
import { refusalError, rejectedError, toRejected } from "./refusal";
import { tokenOf } from "./token-header";

/** Whether a status has a body that {@link interpretIssue} reads. */
export const issueWantsBody = (status: number): boolean => status === 201;

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
  if (outcome.status === 401) {
    throw rejectedError(toRejected(outcome, context));
  }
  if (outcome.status !== 201) throw refusalError(outcome, url, credential.password, attempts);

  const requestId = requestIdOf(outcome, credential.password);
  const about = requestId === undefined ? url : `${url} (request id ${requestId})`;
  const token = tokenOf(outcome, {
    maxLength: limits.tokenLength,
    sent: credential.password,
    about,
  });
  // An answer beyond its limits is not Keystone's, whatever its first part contains.
  if (outcome.end === "too_large") {
    throw new IamTokensError(
      "ERR_ANSWER_TOO_LARGE",
      `${about} answered 201 with a body that is too large.`,
      {
        allowed: `up to ${limits.bodyBytes} bytes`,
      },
    );
  }
  if (outcome.end === "too_slow") {
    throw new IamTokensError(
      "ERR_ANSWER_TOO_SLOW",
      `${about} started to answer 201, but did not finish within ${formatDuration(limits.requestMs)}.`,
    );
  }
  const body = bodyOf(outcome);
  if (body !== undefined) assertScope(body, context, about);
  return {
    issued: {
      token,
      kind: KIND_OF_SCOPE[scope.kind],
      ...lifetimeOf(outcome, body, context, about),
      authUrl: credential.authUrl,
      ...defined({ requestId }),
    },
    receivedAt: outcome.receivedAt,
  };
}
