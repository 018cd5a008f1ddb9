import type { CtyObject } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { hasExpired } from "../../rotation/token-due";
import { IamTokensError, isWhole, words } from "../../tokens";
import { warning } from "../configuration/diagnostics";
import { issuerOf, sendable } from "./stored-token";
import { failureOf } from "./token-diagnostics";
import type { IamContext, TokenSource } from "./token-source";

/**
 * Revokes the token of a resource that is destroyed. After an error Terraform keeps the state, so
 * that the token is not forgotten while it may still be valid.
 */
export async function revokeStored(
  state: CtyObject,
  source: TokenSource,
  context: IamContext,
  now: number,
): Promise<readonly Diagnostic[]> {
  const notRevoked = (why: string) => [warning("A removed IAM token was not revoked", why)];
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
    const { revocation, isConfirmed } = await source.revoke({ authUrl, token }, context);
    if (revocation === "revoked") return [];
    if (!isWhole(token, state.fingerprint))
      throw new IamTokensError(
        "ERR_TOKEN_ALTERED",
        "The service does not know the token in the state, and that is not the one that was issued: its fingerprint is another.",
      );
    if (isConfirmed) return [];
    return notRevoked(
      `${authUrl.v3}, which only the state names, does not know it. If the state was edited, it may still be valid elsewhere.`,
    );
  } catch (error) {
    const next =
      "The token may still be valid, so it stays in the state: destroy again to try again. If the service is gone for good, terraform state rm forgets the token.";
    const advised = IamTokensError.is(error)
      ? error.with({ remedy: words`${error.parts.remedy} ${next}` })
      : error;
    return [failureOf(advised, context)];
  }
}
