import { describeTlsFiles, readTlsFiles } from "../../provider/credentials/credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { sendable } from "../../provider/objects/revoke-stored";
import { assertAllowedAuthUrl } from "../../provider/process/allow-list";
import type { IdentityAccess } from "../../provider/process/identity-access";
import type { ProcessContext } from "../../provider/process/process-context";
import {
  type AuthUrl,
  defined,
  fingerprintOf,
  IamTokensError,
  isWhole,
  parseAuthUrl,
} from "../../tokens";
import type { Outcome } from "./outcome";
import type { FoundToken } from "./state-tokens";

const STATIC =
  "A static token never expires, and no request revokes it. Delete it in the control panel: Account menu, Access, tab API keys.";
const NOT_SENDABLE = "The state holds nothing there that can be sent as a token.";
const NO_ADDRESS =
  "The state does not say which identity service issued it. Add --auth-url ADDRESS.";
const NOT_KNOWN_HERE =
  "The service does not know it. Check that the token is whole, and that this service issued it; otherwise it was revoked before, or has expired.";

/**
 * Revokes a token. Rejects only for a fault of this program.
 *
 * @param elsewhere of the command line or the environment, for tokens that do not say who issued
 * them
 */
export async function revokeFound(
  { places, isStatic, attributes }: FoundToken,
  elsewhere: AuthUrl | undefined,
  identity: IdentityAccess,
  context: ProcessContext,
): Promise<Outcome> {
  const token = sendable(attributes.token);
  const { auth_url: address, expires_at } = attributes;
  let outcome: Outcome["outcome"] = "may_still_live";
  let reason: string | undefined;
  let authUrl: AuthUrl | undefined;
  try {
    authUrl = typeof address === "string" ? parseAuthUrl(address) : elsewhere;
    if (isStatic) reason = STATIC;
    else if (token === undefined) reason = NOT_SENDABLE;
    else if (authUrl === undefined) reason = NO_ADDRESS;
    else {
      assertAllowedAuthUrl(authUrl, context);
      const files = await describeTlsFiles(authUrl, toProviderBlock({}), context);
      const tls = await readTlsFiles(files, context);
      const client = identity.client(() => {});
      const request = { authUrl, token, ...defined({ tls }) };
      if ((await client.revoke(request, new AbortController().signal)) === "revoked")
        outcome = "revoked";
      // An altered text, or another service, gives the same answer as a token that is gone.
      else if (address && isWhole(token, attributes.fingerprint)) outcome = "already_gone";
      else [outcome, reason] = ["not_known_here", NOT_KNOWN_HERE];
    }
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    reason = error.message.replaceAll(/\s+/g, " ");
  }
  const isIam = isStatic === false || outcome === "revoked";
  return {
    outcome,
    fingerprint: token !== undefined && isIam ? fingerprintOf(token) : null,
    places,
    auth_url: isStatic ? null : (authUrl?.v3 ?? null),
    expires_at: isStatic === false && typeof expires_at === "string" ? expires_at : null,
    ...defined({ reason }),
  };
}
