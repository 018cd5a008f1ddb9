import type { IdentityAnswer, IdentityRequest, IdentityState } from "../exchange";
import { jsonAnswer } from "../keystone-answers";
import { toTokenBody } from "../token-body";
import { describe, readSubject } from "./subject-token";

/** GET and HEAD …/v3/auth/tokens: Keystone's validation, which the spec does not document. */
export function validateToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const subject = readSubject(request, state, "identity:validate_token");
  if ("answer" in subject) return subject.answer;
  const withCatalog = !new URLSearchParams(request.query).has("nocatalog");
  return jsonAnswer(200, toTokenBody(subject.record, request.origin, withCatalog), {
    headers: { "X-Subject-Token": subject.token },
    noted: describe(subject.record),
  });
}
