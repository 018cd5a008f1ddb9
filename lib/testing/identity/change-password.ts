import * as z from "zod";
import { emptyAnswer, isAnswer, serverError, unauthorized } from "./answers";
import { parseMember } from "./auth-request";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "./exchange";

const changeSchema = z.strictObject({ original_password: z.string(), password: z.string() });

/**
 * POST …/v3/users/ID/password: a user changes its own password, with the old one and without a
 * token. This is the way out of an expired password. The service's specification does not document
 * it.
 */
export function changePassword(
  request: IdentityRequest,
  state: IdentityState,
  userId: string,
): IdentityAnswer {
  const change = parseMember(changeSchema, request.json?.user ?? {});
  if (isAnswer(change)) return change;
  const { original_password: old, password } = change.member;
  const owner = state.directory.user({ id: userId });
  if (owner === undefined) return unauthorized(request, { reason: "unknown_user" });
  const noted = { user: owner.name, account: owner.account.name };
  const outcome = owner.logIn(old);
  if (outcome === "server_error") return serverError({ ...noted, reason: outcome });
  if (outcome !== "accepted" && outcome !== "password_expired")
    return unauthorized(request, { ...noted, reason: outcome });
  owner.changePassword(password);
  return emptyAnswer(noted);
}
