import type { Revocation } from "../../identity";
import { describeTlsFiles, readTlsFiles } from "../../provider/credentials/credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { sendable } from "../../provider/objects/revoke-stored";
import { assertAllowedAuthUrl } from "../../provider/process/allow-list";
import type { IdentityAccess } from "../../provider/process/identity-access";
import type { ProcessContext } from "../../provider/process/process-context";
import {
  type AuthUrl,
  defined,
  ERROR_CODES,
  fingerprintOf,
  IamTokensError,
  parseAuthUrl,
  type Secret,
} from "../../tokens";
import type { Outcome } from "./outcome";
import type { FoundToken } from "./state-tokens";

/** Everything that a revocation needs in addition to the token. */
interface RevocationTools {
  readonly context: ProcessContext;
  readonly identity: IdentityAccess;
  /** Of the command line or the environment, for tokens that do not say who issued them. */
  readonly authUrl: AuthUrl | undefined;
}

const STATIC =
  "A static token never expires, and no request revokes it. Delete it in the control panel: Account menu, Access, tab API keys.";
const NOT_SENDABLE = "The state holds nothing there that can be sent as a token.";
const NO_ADDRESS =
  "The state does not say which identity service issued it. Add --auth-url ADDRESS.";
const NOT_KNOWN_HERE =
  "The service does not know it. Check that the token is whole, and that this service issued it; otherwise it was revoked before, or has expired.";

/** Revokes a token. Rejects only for a fault of this program. */
export function revokeFound(tools: RevocationTools): (found: FoundToken) => Promise<Outcome> {
  return async ({ places, isStatic, attributes }) => {
    const token = sendable(attributes.token);
    const expiresAt = attributes.expires_at;
    const to = (
      outcome: Outcome["outcome"],
      more: Partial<Pick<Outcome, "auth_url" | "reason">> = {},
    ): Outcome => {
      const isIam = isStatic === false || outcome === "revoked";
      return {
        outcome,
        fingerprint: token !== undefined && isIam ? fingerprintOf(token) : null,
        places,
        auth_url: null,
        expires_at: isStatic === false && typeof expiresAt === "string" ? expiresAt : null,
        ...more,
      };
    };
    if (isStatic) return to("may_still_live", { reason: STATIC });
    if (token === undefined) return to("may_still_live", { reason: NOT_SENDABLE });
    const address = attributes.auth_url;
    let auth_url: string | null = null;
    try {
      const authUrl = typeof address === "string" ? parseAuthUrl(address) : tools.authUrl;
      if (authUrl === undefined) return to("may_still_live", { reason: NO_ADDRESS });
      auth_url = authUrl.v3;
      const revocation = await revokeAt(authUrl, token, tools);
      if (revocation === "revoked") return to("revoked", { auth_url });
      // An altered text, or another service, gives the same answer as a token that is gone.
      const isWhole = attributes.fingerprint === fingerprintOf(token);
      return isWhole && typeof address === "string"
        ? to("already_gone", { auth_url })
        : to("not_known_here", { auth_url, reason: NOT_KNOWN_HERE });
    } catch (error) {
      if (!IamTokensError.is(error)) throw error;
      return to("may_still_live", { auth_url, reason: reasonOf(error) });
    }
  };
}

/** On one line, with the remedy of this command. */
function reasonOf({ code, problem, remedy, message }: IamTokensError): string {
  const text =
    code === "ERR_TLS_FAILED" && remedy === ERROR_CODES[code].remedy
      ? `${problem} Give the service's CA in OS_CACERT, or as cacert of the cloud that OS_CLOUD names. [${code}]`
      : message;
  return text.replaceAll(/\s+/g, " ");
}

async function revokeAt(
  authUrl: AuthUrl,
  token: Secret,
  { context, identity }: RevocationTools,
): Promise<Revocation> {
  assertAllowedAuthUrl(authUrl, context);
  const files = await describeTlsFiles(authUrl, toProviderBlock({}), context);
  const tls = await readTlsFiles(files, context);
  const client = identity.client(() => {});
  return client.revoke({ authUrl, token, ...defined({ tls }) }, new AbortController().signal);
}
