import type { IdentityAnswer, IdentityRequest, IdentityState, Noted } from "../exchange";
import { errorAnswer, forbidden, unauthorized } from "../keystone-answers";
import type { IssuedRecord, TokenStatus } from "../token-register";

/** Either the token that a request is about, or the answer to a caller that may not ask. */
export type Subject =
  | { readonly token: string; readonly record: IssuedRecord }
  | { readonly answer: IdentityAnswer };

/** Reads the caller's token and the subject's. A user may ask about its own tokens only. */
export function readSubject(
  request: IdentityRequest,
  state: IdentityState,
  action: string,
): Subject {
  const callerToken = request.headers["x-auth-token"] ?? "";
  if (callerToken === "")
    return { answer: unauthorized(request, { noted: { reason: "token_missing" } }) };
  const caller = state.tokens.find(callerToken);
  if (caller.record === undefined || caller.status !== "valid") {
    return {
      answer: unauthorized(request, {
        noted: { ...describe(caller.record), reason: reasonOf(caller.status) },
      }),
    };
  }
  const token = request.headers["x-subject-token"];
  if (token === undefined) return { answer: forbidden(action, { reason: "token_missing" }) };
  if (token === "")
    return { answer: errorAnswer(404, "No token in the request", { reason: "token_missing" }) };
  const { record, status } = state.tokens.find(token);
  if (record === undefined)
    return {
      answer: errorAnswer(404, "Could not recognize Fernet token", { reason: "token_unknown" }),
    };
  const noted = describe(record);
  if (status !== "valid") {
    return {
      answer: errorAnswer(404, "Failed to validate token", { ...noted, reason: reasonOf(status) }),
    };
  }
  if (record.owner !== caller.record.owner) {
    return { answer: forbidden(action, { ...noted, reason: "token_of_another_user" }) };
  }
  return { token, record };
}

/** What the journal keeps of a token. */
export function describe(record: IssuedRecord | undefined): Noted {
  if (record === undefined) return {};
  const { owner, scope, fingerprint } = record;
  const account = owner.user.account.name;
  const asked =
    scope.kind === "none"
      ? scope
      : scope.kind === "account"
        ? ({ kind: "account", account } as const)
        : ({ kind: "project", project: scope.project.name, account } as const);
  return { user: owner.user.name, account, scope: asked, fingerprint };
}

/** Why a token is not accepted. */
export function reasonOf(status: TokenStatus): "token_expired" | "token_revoked" | "token_unknown" {
  return status === "expired"
    ? "token_expired"
    : status === "revoked"
      ? "token_revoked"
      : "token_unknown";
}
