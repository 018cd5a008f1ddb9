import type { Revocation, Validation } from "../../identity";
import { describeTlsFiles, readTlsFiles, resolved } from "../../provider/credentials/credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { sendable } from "../../provider/objects/stored-token";
import { assertAllowedAuthUrl } from "../../provider/process/allow-list";
import type { IdentityAccess, IdentityPort } from "../../provider/process/identity-access";
import type { ProcessContext } from "../../provider/process/process-context";
import {
  type AuthUrl,
  addressOf,
  defined,
  fingerprintOf,
  IamTokensError,
  isWhole,
  parseAuthUrl,
  type UnresolvedUrl,
} from "../../tokens";
import type { CallersAddresses } from "./callers-addresses";
import type { Outcome } from "./outcome";
import type { FoundToken } from "./state-tokens";

/** A request about a token, by the token itself, and the names of its outcomes. */
export interface Question {
  readonly ask: (
    client: IdentityPort,
    ...of: Parameters<IdentityPort["revoke"]>
  ) => Promise<Revocation | Validation>;
  /** The service knew the token. */
  readonly known: Outcome["outcome"];
  readonly gone: Outcome["outcome"];
  /** Gone at an address that only the state names. */
  readonly goneThere: Outcome["outcome"];
  /** It does not know a token of which nothing says that it is whole. */
  readonly notKnown: Outcome["outcome"];
  /** No answer, or nothing to ask. */
  readonly unanswered: Outcome["outcome"];
}

const STATIC =
  "A static token never expires, and no request revokes it. Delete it in the control panel: Account menu, Access, tab API keys.";
const NOT_SENDABLE = "The state holds nothing there that can be sent as a token.";
const NO_ADDRESS =
  "The state does not say which identity service issued it. Add --auth-url ADDRESS.";
const NO_OBJECT =
  "It has the form of a token, but nothing in the state says whose it is. If it is one of a service of yours, add --auth-url ADDRESS.";
const NOT_KNOWN_HERE =
  "The service does not know it. Check that the token is whole, and that this service issued it; otherwise it was revoked before, or has expired.";
const goneThere = (v3: string) =>
  `Gone at ${v3}, which only the state names. If that is your service, say so by --auth-url ADDRESS or OS_AUTH_URL.`;

/** Asks about a token. Rejects only for a fault of this program. */
export async function askAbout(
  { places, isStatic, attributes }: FoundToken,
  question: Question,
  callers: CallersAddresses,
  identity: IdentityAccess,
  context: ProcessContext,
): Promise<Outcome> {
  const token = sendable(attributes.token);
  const { auth_url: address, expires_at, fingerprint } = attributes;
  let outcome = question.unanswered;
  let reason: string | undefined;
  let authUrl: AuthUrl | UnresolvedUrl | undefined;
  let isConfirmed = false;
  try {
    authUrl = typeof address === "string" ? parseAuthUrl(address) : callers.elsewhere;
    if (isStatic) reason = STATIC;
    else if (token === undefined) reason = NOT_SENDABLE;
    else if (authUrl === undefined) reason = isStatic === undefined ? NO_OBJECT : NO_ADDRESS;
    else {
      assertAllowedAuthUrl(authUrl, context);
      const files = await describeTlsFiles(authUrl, toProviderBlock({}), context);
      const tls = await readTlsFiles(files, context);
      const find = (given: AuthUrl | UnresolvedUrl) => resolved(given, tls, identity, context);
      authUrl = await find(authUrl);
      isConfirmed = await callers.confirm(authUrl, find);
      const request = { authUrl, token, tls };
      const client = identity.client(() => {});
      const answer = await question.ask(client, request, new AbortController().signal);
      if (answer !== "gone") outcome = question.known;
      // An altered text, or another service, gives the same answer as a token that is gone.
      else if (!address || !isWhole(token, fingerprint))
        [outcome, reason] = [question.notKnown, NOT_KNOWN_HERE];
      else if (isConfirmed) outcome = question.gone;
      else [outcome, reason] = [question.goneThere, goneThere(authUrl.v3)];
    }
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    reason = error.message.replaceAll(/\s+/g, " ");
  }
  const isIam = isStatic === false || outcome === question.known;
  return {
    outcome,
    fingerprint: token !== undefined && isIam ? fingerprintOf(token) : null,
    places,
    auth_url: isStatic ? null : ((authUrl && addressOf(authUrl)) ?? null),
    address_confirmed: isConfirmed,
    expires_at: isStatic === false && typeof expires_at === "string" ? expires_at : null,
    ...defined({ reason }),
  };
}
