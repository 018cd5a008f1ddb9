import { emptyAnswer, errorAnswer, forbidden, isAnswer, jsonAnswer, unauthorized } from "./answers";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "./exchange";
import type { Noted } from "./journal";
import { toTokenBody } from "./token-body";
import type { IssuedRecord, TokenStatus } from "./token-register";

/**
 * GET and HEAD …/v3/auth/tokens: Keystone's validation, which the service's specification does not
 * document.
 */
export function validateToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  // Keystone's role for services permits GET, and not HEAD.
  const mayValidate = request.method === "GET";
  const subject = readSubject(request, state, { rule: "identity:validate_token", mayValidate });
  if (isAnswer(subject)) return subject;
  const { token, record } = subject;
  const headers = { "X-Subject-Token": token };
  return jsonAnswer(200, toTokenBody(record, request, state), headers, describe(record));
}

/**
 * DELETE …/v3/auth/tokens: Keystone's revocation, which the service's specification does not
 * document.
 */
export function revokeToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const subject = readSubject(request, state, { rule: "identity:revoke_token" });
  if (isAnswer(subject)) return subject;
  state.tokens.revoke(subject.token);
  return emptyAnswer(describe(subject.record));
}

/** The caller's token, or 401. */
export function readCaller(
  request: IdentityRequest,
  state: IdentityState,
): IssuedRecord | IdentityAnswer {
  const { "x-auth-token": token = "" } = request.headers;
  const { status, record } = state.tokens.find(token);
  if (record !== undefined && status === "valid") return record;
  const reason = token === "" ? "token_missing" : reasonOf(status);
  return unauthorized(request, { ...describe(record), reason });
}

/**
 * Reads the caller's token and the subject's, or returns the answer to a caller without permission.
 * Users may only request their own tokens, except those who may validate.
 */
function readSubject(
  request: IdentityRequest,
  state: IdentityState,
  { rule, mayValidate = false }: { readonly rule: string; readonly mayValidate?: boolean },
): { readonly token: string; readonly record: IssuedRecord } | IdentityAnswer {
  const caller = readCaller(request, state);
  if (isAnswer(caller)) return caller;
  const { "x-subject-token": token } = request.headers;
  if (token === undefined) return forbidden({ reason: "token_missing" }, rule);
  const record = findLive(token, state);
  if (isAnswer(record)) return record;
  // An unscoped token has no role.
  const validates =
    mayValidate && caller.owner.settings.mayValidate && caller.scope.kind !== "none";
  if (record.owner !== caller.owner && !validates)
    return forbidden({ ...describe(record), reason: "token_of_another_user" }, rule);
  return { token, record };
}

/** A usable token, or Keystone's 404, which is also for a token in exchange for another. */
export function findLive(
  token: string,
  { tokens }: IdentityState,
  noted: Noted = {},
): IssuedRecord | IdentityAnswer {
  if (token === "")
    return errorAnswer(404, "No token in the request", { ...noted, reason: "token_missing" });
  const { status, record } = tokens.find(token);
  if (record !== undefined && status === "valid") return record;
  return errorAnswer(
    404,
    record === undefined ? "Could not recognize Fernet token" : "Failed to validate token",
    { ...noted, ...describe(record), reason: reasonOf(status) },
  );
}

/** Why an unusable token is refused. */
export const reasonOf = (status: TokenStatus) =>
  status === "valid" ? "token_unknown" : (`token_${status}` as const);

/** Journal fields of a token. */
export function describe(record: IssuedRecord | undefined): Noted {
  if (record === undefined) return {};
  const { owner, scope, fingerprint } = record;
  const account = owner.account.name;
  const asked =
    scope.kind === "project"
      ? ({ kind: "project", project: scope.project.name, account } as const)
      : scope.kind === "account"
        ? ({ kind: "account", account } as const)
        : scope;
  return { user: owner.name, account, scope: asked, fingerprint };
}
