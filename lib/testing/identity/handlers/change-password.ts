import { PASSWORD_CHANGE_SCHEMA } from "../auth-schema";
import type { IdentityAnswer, IdentityRequest, IdentityState, Noted } from "../exchange";
import { firstMistake } from "../json-schema";
import { emptyAnswer, errorAnswer, serverError, unauthorized } from "../keystone-answers";

/**
 * POST …/v3/users/ID/password: by which a user changes its own password, with the old one and
 * without a token. It is the way out of an expired password. The spec does not document it.
 */
export function changePassword(
  request: IdentityRequest,
  state: IdentityState,
  userId: string,
): IdentityAnswer {
  const change = request.json?.user ?? {};
  const mistake = firstMistake(change, PASSWORD_CHANGE_SCHEMA);
  if (mistake !== undefined) return errorAnswer(400, mistake, { reason: "malformed_request" });
  // The schema has just said so.
  const { original_password: old, password } = change as {
    readonly original_password: string;
    readonly password: string;
  };
  const owner = state.directory.userById(userId);
  if (owner === undefined) return unauthorized(request, { noted: { reason: "unknown_user" } });
  const noted: Noted = { user: owner.user.name, account: owner.user.account.name };
  const now = state.now();
  const outcome = owner.logIn(old, now, state.lockout);
  if (outcome === "server_error") return serverError({ ...noted, reason: outcome });
  if (outcome !== "accepted" && outcome !== "password_expired") {
    return unauthorized(request, { noted: { ...noted, reason: outcome } });
  }
  owner.changePassword(password, now);
  return emptyAnswer(noted);
}
