import {
  type Cause,
  claimsOf,
  describeClaims,
  IamTokensError,
  quote,
  type Text,
  words,
} from "../../tokens";
import type { FederatedCredential } from "../credential";
import type { UnscopedToken } from "../issued-token";
import { type Heard, isKeystones, serviceTime } from "./answer";
import { answerOf, type Exchanged } from "./exchanged";
import { bodyOf } from "./issued-body";
import { lifetimeOf } from "./lifetime";
import { refusalError, statusText } from "./refusal";
import { withAddress } from "./rejected";
import { tokenOf } from "./token-header";

/** Expectations for the answer to a sign-in with an identity token. */
type SignInContext = Pick<
  FederatedCredential,
  "authUrl" | "origin" | "identityProvider" | "protocol"
>;

/**
 * Interprets the outcome of a sign-in with an identity token: the unscoped token.
 *
 * @throws the codes of "The identity service's answer"
 */
export function interpretSignIn(exchanged: Exchanged, context: SignInContext): UnscopedToken {
  const answer = answerOf(exchanged);
  if (answer.status !== 201)
    throw (
      refusedError(answer, exchanged, context) ??
      refusalError(answer, exchanged, 201, context.authUrl)
    );
  const { limits, url } = exchanged;
  const token = tokenOf(answer, exchanged, url);
  const life = lifetimeOf(answer, bodyOf(answer), limits, url);
  const { issuedAt, expiresAt, remainingMs, receivedAt } = life;
  return { token, issuedAt, expiresAt, remainingMs, receivedAt };
}

const TOO_LONG =
  "The token is longer than a header that the web server reads (Apache: LimitRequestFieldSize).";

/** By who answers, the web server or Keystone behind it, and the status. */
const CAUSES: Readonly<Record<string, readonly Text[]>> = {
  "server 400": [TOO_LONG],
  "server 431": [TOO_LONG],
  "server 401": [
    "The service does not accept its audience (aud): request a token with the audience that the service's operator names.",
    "The service does not accept its issuer (iss), or has no key of it that fits the signature.",
    "It was changed or cut, or is not an identity token: some CI systems have several kinds.",
  ],
  "keystone 401": [
    "The identity provider has no protocol of this name.",
    "No rule of its mapping fits this token.",
    "The web server at this address does not read identity tokens for this identity provider and protocol.",
  ],
  "keystone 403": [
    "The identity provider does not accept this issuer (iss): correct its name, or ask the service's operator to add the issuer to its remote ids.",
  ],
  // The same answer if the identity provider has another protocol only.
  "keystone 404": [
    "There is no identity provider of this name with this protocol: both are Keystone's ids, which the operator names.",
  ],
};

/** The error of an answer that refuses the identity token, or what is given with it. */
function refusedError(
  answer: Heard,
  { url, secret: identityToken, triesInWords }: Exchanged,
  { authUrl, origin, identityProvider, protocol }: SignInContext,
): IamTokensError | undefined {
  const causes = CAUSES[`${isKeystones(answer) ? "keystone" : "server"} ${answer.status}`];
  if (causes === undefined) return undefined;
  const claims = claimsOf(identityToken);
  const now = serviceTime(answer) ?? answer.receivedAt;
  const fact = words`${url} answered ${statusText(answer, identityToken)} to the identity token (${origin}; ${describeClaims(claims, now)}) for identity provider ${quote(identityProvider)}, protocol ${quote(protocol)}${triesInWords}.`;
  const others = causes.map((text) => ({ text }));
  const listed = answer.status === 404 ? withAddress(others, authUrl) : others;
  return new IamTokensError("ERR_CREDENTIALS_REJECTED", fact, {
    causes: Number(claims.exp) <= now ? [EXPIRED, ...listed] : listed,
    headline: `The service answered ${answer.status} to the identity token.`,
  });
}

const EXPIRED: Cause = {
  text: "it has expired: an identity token lives minutes. Get it just before the run.",
  likely: true,
};
