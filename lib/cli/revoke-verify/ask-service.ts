import type { Revocation, Validation } from "../../identity";
import type { Service } from "../../provider/credentials/service";
import { sendable } from "../../provider/objects/stored-token";
import type { IdentityPort } from "../../provider/process/identity-access";
import { defined, fingerprintOf, IamTokensError, isWhole, quote } from "../../tokens";
import type { Outcome } from "./outcome";
import type { FoundToken } from "./state-tokens";

/** A request about a token, by the token itself. */
export type Question = (
  client: IdentityPort,
  ...of: Parameters<IdentityPort["revoke"]>
) => Promise<Revocation | Validation>;

const STATIC =
  "A static token never expires, and no request revokes it. Delete it in the control panel: Account menu, Access, tab API keys.";
const NOT_SENDABLE = "The state holds nothing there that can be sent as a token.";
const NOT_WHOLE =
  "The service refuses it. Check that the token is whole, and that this service issued it: only then it is over.";
const REFUSED =
  "It can live again only if its project was disabled or its user has lost a role, and that is undone.";

/**
 * Asks the caller's service about a token. One that another service has issued is not sent.
 *
 * @throws what the request throws, but for a token that the service hides
 */
export async function ask(
  { places, isStatic, attributes }: FoundToken,
  question: Question,
  service: Service,
  client: IdentityPort,
): Promise<Outcome> {
  const { auth_url, expires_at } = attributes;
  const token = sendable(attributes.token);
  const said = (outcome: Outcome["outcome"], reason?: string): Outcome => ({
    outcome,
    fingerprint: token === undefined || isStatic ? null : fingerprintOf(token),
    places,
    expires_at: typeof expires_at === "string" && !isStatic ? expires_at : null,
    ...defined({ reason }),
  });
  if (isStatic) return said("may_still_live", STATIC);
  if (token === undefined) return said("not_asked", NOT_SENDABLE);
  if (auth_url != null && auth_url !== service.authUrl.v3)
    return said("not_asked", `Issued by ${quote(`${auth_url}`)}: ask that service, by --auth-url.`);
  try {
    const answer = await question(client, { ...service, token }, new AbortController().signal);
    if (answer !== "refused") return said(answer);
    // An altered text, or another service, gives the same answer.
    return auth_url != null && isWhole(token, attributes.fingerprint)
      ? said("refused", REFUSED)
      : said("not_known_here", NOT_WHOLE);
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_TOKEN_HIDDEN") throw error;
    return said("may_still_live", error.message.replaceAll(/\s+/g, " "));
  }
}
