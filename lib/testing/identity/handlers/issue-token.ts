import { parseAuthRequest } from "../auth-request";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "../exchange";
import { jsonAnswer, unauthorized } from "../keystone-answers";
import { toTokenBody } from "../token-body";

/** POST …/v3/auth/tokens. @see spec, "Issue an IAM token" */
export function issueToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const parsed = parseAuthRequest(request);
  if ("answer" in parsed) return parsed.answer;
  const { user, account, password, scope } = parsed.attempt;
  const noted = { user, account, scope };
  const decision = state.directory.grant(account, user, password, scope);
  if (!decision.granted) return unauthorized(request, { ...noted, reason: decision.reason });
  const { token, record } = state.tokens.issue(decision.user, decision.scope);
  const withCatalog = !new URLSearchParams(request.query).has("nocatalog");
  return jsonAnswer(201, toTokenBody(record, request.origin, withCatalog), {
    headers: { "X-Subject-Token": token },
    noted: { ...noted, fingerprint: record.fingerprint },
  });
}
