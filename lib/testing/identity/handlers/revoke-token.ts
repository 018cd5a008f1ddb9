import type { IdentityAnswer, IdentityRequest, IdentityState } from "../exchange";
import { emptyAnswer } from "../keystone-answers";
import { describe, readSubject } from "./subject-token";

/** DELETE …/v3/auth/tokens: Keystone's revocation, which the spec does not document. */
export function revokeToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const subject = readSubject(request, state, "identity:revoke_token");
  if ("answer" in subject) return subject.answer;
  state.tokens.revoke(subject.token);
  return emptyAnswer(describe(subject.record));
}
