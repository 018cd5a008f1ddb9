import { KIND_OF_SCOPE } from "../../tokens";
import {
  errorAnswer,
  type IdentityAnswer,
  type IdentityRequest,
  isAnswer,
  outsideAnswer,
  unauthorized,
} from "./http";
import type { Noted, RefusalReason } from "./journal";
import type { Handler, State } from "./state";
import { describe, type IssuedRecord, tokenAnswer } from "./tokens";

/** GET …/v3/auth/tokens: Keystone's validation, which the service's specification does not have. */
export const validateToken: Handler = (request, state) => {
  const subject = readSubject(request, state);
  return isAnswer(subject) ? subject : tokenAnswer(200, subject, state);
};

/** DELETE …/v3/auth/tokens: Keystone's revocation, which the specification does not have. */
export const revokeToken: Handler = (request, state) => {
  const subject = readSubject(request, state);
  if (isAnswer(subject)) return subject;
  state.tokens.revoke(subject.token);
  return { status: 204, headers: {}, body: "", noted: describe(subject), isKeystones: true };
};

/** The token in X-Subject-Token, of which only its owner may ask. */
function readSubject(request: IdentityRequest, { tokens }: State): IssuedRecord | IdentityAnswer {
  const { "x-auth-token": own = "", "x-subject-token": token = "" } = request.headers;
  const caller = tokens.find(own);
  if (caller.status !== "valid") {
    const reason = own === "" ? "token_missing" : (`token_${caller.status}` as const);
    return unauthorized(request, reason, describe(caller.record));
  }
  const subject = tokens.find(token);
  const noted = describe(subject.record);
  if (subject.status !== "valid")
    return errorAnswer(404, "Failed to validate token", {
      ...noted,
      reason: `token_${subject.status}`,
    });
  if (subject.record.owner === caller.record.owner) return subject.record;
  return errorAnswer(403, "You are not authorized to perform the requested action.", {
    ...noted,
    reason: "token_of_another_user",
  });
}

/** The path of the simulated product API. */
export const ECHO = "/echo";

/**
 * Describes the token of a request, without repeating it: a first stack calls this to check that
 * its token arrives in the right header. It accepts any method.
 */
export const echo: Handler = ({ headers }, state) => {
  const { "x-auth-token": iamToken = "", "x-token": staticToken = "" } = headers;
  if (iamToken !== "" && staticToken !== "")
    return refuse("The request has both X-Auth-Token and X-Token.", "wrong_header");
  if (staticToken !== "") return echoStaticToken(staticToken, state);
  if (iamToken !== "") return echoIamToken(iamToken, state);
  return refuse("The request has neither X-Auth-Token nor X-Token.", "token_missing");
};

function echoIamToken(token: string, { directory, tokens }: State): IdentityAnswer {
  const { status, record } = tokens.find(token);
  if (directory.accountOfStaticToken(token) !== undefined)
    return refuse("X-Auth-Token has a static token. Send it in X-Token.", "wrong_header");
  const noted = describe(record);
  if (status !== "valid") {
    const found = status === "unknown" ? "was not issued by this service" : `is ${status}`;
    return refuse(`The token in X-Auth-Token ${found}.`, `token_${status}`, noted);
  }
  const { owner, scope, expiresAt, fingerprint } = record;
  const described = {
    header: "X-Auth-Token",
    kind: scope.kind === "none" ? null : KIND_OF_SCOPE[scope.kind],
    user: owner.name,
    account: owner.account.name,
    project: scope.kind === "project" ? scope.project.name : null,
    expires_at: new Date(expiresAt).toISOString(),
    fingerprint,
  };
  return outsideAnswer(200, described, noted);
}

function echoStaticToken(token: string, { directory, tokens }: State): IdentityAnswer {
  const account = directory.accountOfStaticToken(token)?.name;
  if (account !== undefined)
    return outsideAnswer(200, { header: "X-Token", kind: "static_token", account }, { account });
  const { record } = tokens.find(token);
  if (record !== undefined)
    return refuse(
      "X-Token has an IAM token. Send it in X-Auth-Token.",
      "wrong_header",
      describe(record),
    );
  return refuse(
    "The token in X-Token is not a static token of this service (setting staticTokens). An IAM token is sent in X-Auth-Token.",
    "token_unknown",
  );
}

const refuse = (error: string, reason: RefusalReason, noted: Noted = {}) =>
  outsideAnswer(401, { error }, { ...noted, reason });
