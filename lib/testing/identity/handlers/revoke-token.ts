import type { IdentityAnswer, IdentityRequest, IdentityState } from "../exchange";
import { describe, readSubject } from "./subject-token";

/** DELETE …/v3/auth/tokens: Keystone's revocation, which the spec does not document. */
export function revokeToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const subject = readSubject(request, state, "identity:revoke_token");
  if ("answer" in subject) return subject.answer;
  state.tokens.revoke(subject.token);
  return { status: 204, headers: { Vary: "X-Auth-Token" }, body: "", noted: describe(subject.record) };
}
