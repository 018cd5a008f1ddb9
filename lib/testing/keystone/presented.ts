import { type IdentityRequest, outsideAnswer, Refusal } from "./http";
import type { Noted, RefusalReason } from "./journal";
import type { Handler, Note, State } from "./state";
import { describe, type IssuedRecord, tokenAnswer } from "./tokens";

/**
 * GET …/v3/auth/tokens: Keystone's validation, which the service's specification does not have. The
 * same for HEAD, whose answer has no body.
 */
export const validateToken: Handler = (request, state, note) =>
  tokenAnswer(200, readSubject(request, state, note), state);

/** DELETE …/v3/auth/tokens: Keystone's revocation, which the specification does not have. */
export const revokeToken: Handler = (request, state, note) => {
  state.tokens.revoke(readSubject(request, state, note).token);
  return { status: 204, headers: [], body: "" };
};

const ACCESS_RULES = "openstack-identity-access-rules";

/** The token in X-Subject-Token, of which only its owner may ask. */
function readSubject(
  { method, headers }: IdentityRequest,
  { tokens, directory }: State,
  note: Note,
): IssuedRecord {
  const { "x-auth-token": own = "", "x-subject-token": token = "" } = headers;
  const caller = tokens.find(own);
  note(describe(caller.record));
  if (own === "") throw new Refusal("token_missing");
  if (caller.status !== "valid") throw new Refusal(`token_${caller.status}`);
  const { owner, scope, credential } = caller.record;
  directory.assertPermitted(owner, scope);
  const knowsRules = method !== "DELETE" && headers[ACCESS_RULES] !== undefined;
  if (directory.isDisabled(scope) || (credential?.accessRules && !knowsRules))
    throw new Refusal("token_hidden", 404);
  const subject = tokens.find(token);
  note(describe(subject.record));
  if (subject.status !== "valid") throw new Refusal(`token_${subject.status}`, 404);
  if (subject.record.owner.id === caller.record.owner.id) return subject.record;
  throw new Refusal("token_of_another_user", 403);
}

/** The path of the simulated product API. */
export const ECHO = "/echo";

/**
 * Describes the token of a request, without repeating it: a first stack calls this to check that
 * its token arrives in the right header. It accepts any method.
 */
export const echo: Handler = ({ headers }, { directory, tokens }, note) => {
  const refuse = (error: string, reason: RefusalReason, noted: Noted = {}) => {
    note({ ...noted, reason });
    return outsideAnswer(401, { error });
  };
  const { "x-auth-token": iamToken = "", "x-token": staticToken = "" } = headers;
  const [header, token] = iamToken === "" ? ["X-Token", staticToken] : ["X-Auth-Token", iamToken];
  if (token === "")
    return refuse("The request has neither X-Auth-Token nor X-Token.", "token_missing");
  if (iamToken !== "" && staticToken !== "")
    return refuse("The request has both X-Auth-Token and X-Token.", "wrong_header");

  if (directory.isStaticToken(token)) {
    if (token === iamToken)
      return refuse("X-Auth-Token has a static token. Send it in X-Token.", "wrong_header");
    const { accountId: account } = directory;
    note({ account });
    return outsideAnswer(200, { header, kind: "static_token", account });
  }

  const noted = describe(tokens.find(token).record);
  const described = tokens.describe(token);
  const { status } = described;
  if (status === "unknown")
    return refuse(
      `The token in ${header} is neither issued by this service nor one of its staticTokens.`,
      "token_unknown",
    );
  if (token === staticToken)
    return refuse("X-Token has an IAM token. Send it in X-Auth-Token.", "wrong_header", noted);
  if (status !== "valid")
    return refuse(`The token in X-Auth-Token is ${status}.`, `token_${status}`, noted);
  note(noted);
  const { kind, user, accountId, project, expiresAt: expires_at, fingerprint } = described;
  const whose = { kind, user, account: accountId, project, expires_at, fingerprint };
  return outsideAnswer(200, { header, ...whose });
};
