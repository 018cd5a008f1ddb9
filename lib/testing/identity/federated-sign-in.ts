import { errorAnswer, forbidden, jsonAnswer, unauthorized } from "./answers";
import { KNOWN_METHODS, unsupportedMethod } from "./auth-request";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "./exchange";
import { toTokenBody } from "./token-body";

/** The limit of Apache for a line of a request's head, here of the value. */
const MAX_HEADER = 8190 - "Authorization: ".length;

/**
 * POST …/v3/OS-FEDERATION/identity_providers/ID/protocols/ID/auth: an unscoped token for an
 * identity token, which Apache checks in front of Keystone.
 */
export function signInByIdentityToken(
  request: IdentityRequest,
  state: IdentityState,
  providerId: string,
  protocol: string,
): IdentityAnswer {
  const { federation } = state;
  const { authorization = "" } = request.headers;
  if (authorization.length > MAX_HEADER) return fromApache(400);
  const [scheme = "", ...rest] = authorization.split(" ");
  const token = rest.join(" ").trimStart();
  if (scheme.toLowerCase() !== "bearer" || rest.length === 0)
    return fromApache(401, "invalid_request", "No bearer token found in the request");
  const claims = federation.issuer.check(token);
  if (typeof claims === "string") return fromApache(401, "invalid_token", claims);
  if (!KNOWN_METHODS.includes(protocol) && !federation.hasProtocol(protocol))
    return unsupportedMethod(request);
  const provider = federation.provider(providerId);
  if (provider === undefined) {
    const noted = { reason: "unknown_identity_provider" } as const;
    return errorAnswer(404, `Could not find Identity Provider: ${providerId}.`, noted);
  }
  if (protocol !== provider.protocol) {
    const message = `Could not find federated protocol ${protocol} for Identity Provider: ${providerId}.`;
    return errorAnswer(404, message, { reason: "unknown_identity_provider" });
  }
  const { iss, sub, aud } = claims;
  const noted = { user: String(sub) };
  if (iss !== provider.issuer && iss !== undefined)
    return forbidden({ ...noted, reason: "issuer_not_accepted" });
  // Keystone's rules for an identity provider decide about the rest, and do not say what is wrong.
  const { audience } = provider;
  if (iss === undefined || sub === "")
    return unauthorized(request, { ...noted, reason: "identity_token_invalid" });
  // Apache joins several with a comma, which is then another string.
  if (audience !== undefined && String(aud) !== audience)
    return unauthorized(request, { ...noted, reason: "audience_not_accepted" });
  const owner = federation.user(provider, String(sub));
  const issued = state.tokens.issue(owner, { kind: "none" }, [protocol]);
  const { fingerprint } = issued.record;
  const body = toTokenBody(issued.record, request, state);
  return jsonAnswer(
    201,
    body,
    { "X-Subject-Token": issued.token },
    { ...noted, account: owner.account.name, scope: { kind: "none" }, fingerprint },
  );
}

/** A page of Apache, without a request id: Keystone does not get the request. */
function fromApache(status: number, error?: string, description?: string): IdentityAnswer {
  const title = status === 401 ? "Unauthorized" : "Bad Request";
  return {
    status,
    headers: {
      ...(error === undefined
        ? {}
        : { "WWW-Authenticate": `Bearer error="${error}", error_description="${description}"` }),
      "Content-Type": "text/html; charset=iso-8859-1",
    },
    body: `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">\n<html><head>\n<title>${status} ${title}</title>\n</head><body>\n<h1>${title}</h1>\n</body></html>\n`,
    noted: { reason: "identity_token_invalid" },
    hasRequestId: false,
  };
}
