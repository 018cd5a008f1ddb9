import type { CtyObject } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { hasExpired, notRevokedNote } from "../../rotation/token-due";
import { IamTokensError, words } from "../../tokens";
import { toWarning, warning } from "../configuration/diagnostics";
import { issuerOf, sendable } from "./stored-token";
import { failureOf, forReader } from "./token-diagnostics";
import type { IamContext, TokenRequests } from "./token-requests";

const NOT_REVOKED = "A removed IAM token may still be valid";

/**
 * Revokes the token of a resource that is destroyed. After an error Terraform keeps the state, so
 * that the token is not forgotten while it may still be valid.
 */
export async function revokeStored(
  state: CtyObject,
  requests: TokenRequests,
  context: IamContext,
  now: number,
): Promise<readonly Diagnostic[]> {
  const notRevoked = (why: string) => [warning(NOT_REVOKED, why)];
  if (hasExpired(state, now))
    return notRevoked(
      "By the state it has expired, so the service was not asked. If the state was edited, it may still be valid.",
    );
  const token = sendable(state.token);
  if (token === undefined)
    return notRevoked(
      "The state holds no token: it was edited. If there is one, it stays valid until it expires.",
    );
  try {
    const authUrl = issuerOf(state);
    const revocation = await requests.revoke({ authUrl, token }, context);
    const isOurs = await requests.issuesAt(authUrl, context);
    if (revocation === "revoked" && isOurs) return [];
    const said =
      revocation === "revoked"
        ? "says that it has revoked it"
        : "refuses it: it was revoked before, or its user's password was changed";
    const but = isOurs ? "" : ", but this configuration issues no tokens there";
    return notRevoked(
      `${authUrl.v3} ${said}${but}. If the state was edited, it may still be valid.`,
    );
  } catch (error) {
    // To keep it would not help: it can never revoke itself.
    if (IamTokensError.is(error) && error.code === "ERR_TOKEN_HIDDEN") {
      const until = error.adding(notRevokedNote(state, now) ?? "");
      return [toWarning(NOT_REVOKED, forReader(context.session, until))];
    }
    const next =
      "The token may still be valid, so it stays in the state: destroy again to try again. If the service is gone for good, terraform state rm forgets the token.";
    const advised = IamTokensError.is(error)
      ? error.with({ remedy: words`${error.parts.remedy} ${next}` })
      : error;
    return [failureOf(advised, context)];
  }
}
