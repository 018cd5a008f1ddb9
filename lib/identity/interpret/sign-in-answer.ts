import { IamTokensError, quote, type Secret } from "../../tokens";
import { withCandidates } from "../../tokens/candidates";
import { claimsOf, describeClaims } from "../../tokens/identity-token";
import type { FederatedCredential } from "../credential";
import type { UnscopedToken } from "../issued-token";
import type { Limits } from "../limits";
import type { Answer, Outcome } from "../transport/transport";
import { faultError } from "./fault";
import { serviceTime } from "./headers";
import { assertComplete } from "./issue-answer";
import { bodyOf } from "./issued-body";
import { isKeystones } from "./keystone-error";
import { lifetimeOf } from "./lifetime";
import { refusalError, statusText } from "./refusal";
import { tokenOf } from "./token-header";

/** Expectations for the answer to a sign-in with an identity token. */
export interface SignInContext {
  readonly url: string;
  readonly credential: FederatedCredential;
  readonly identityToken: Secret;
  readonly limits: Limits;
  readonly attempts: string;
}

/** Whether a status has a body that {@link interpretSignIn} reads. */
export const signInWantsBody = (status: number): boolean => [201, 401, 403, 404].includes(status);

/**
 * Interprets the outcome of a sign-in with an identity token: the unscoped token.
 *
 * @throws the codes of "The identity service's answer"
 */
export function interpretSignIn(outcome: Outcome, context: SignInContext): UnscopedToken {
  const { url, identityToken: sent, limits, attempts } = context;
  if (outcome.kind === "fault") throw faultError(outcome, url, limits, attempts);
  if (outcome.status !== 201)
    throw signInRefusal(outcome, context) ?? refusalError(outcome, url, sent, attempts);
  const token = tokenOf(outcome, { maxLength: limits.tokenLength, sent, about: url });
  assertComplete(outcome, url, limits);
  const lifetime = lifetimeOf(outcome, bodyOf(outcome), context, url);
  return { issued: { token, ...lifetime }, receivedAt: outcome.receivedAt };
}

/**
 * The error of an answer that refuses the identity token, or what is given with it; undefined for
 * another answer. The web server before Keystone answers in HTML, Keystone in JSON.
 */
export function signInRefusal(
  outcome: Outcome,
  context: SignInContext,
): IamTokensError | undefined {
  if (outcome.kind !== "answer") return undefined;
  const isKeystone = isKeystones(outcome);
  const { status } = outcome;
  if (status === 401) return isKeystone ? notMapped(outcome, context) : notValid(outcome, context);
  if (status === 403 && isKeystone) return issuerNotAccepted(outcome, context);
  if (status === 404 && isKeystone) return noProvider(outcome, context);
  const { length } = context.identityToken.reveal();
  const isTooLong = (status === 400 || status === 431) && length > COMMON_HEADER;
  return isTooLong && !isKeystone ? tooLong(outcome, context, length) : undefined;
}

const CODE = "ERR_CREDENTIALS_REJECTED";

/** Any web server takes a header of this length; Apache, as it is installed, takes 8190. */
const COMMON_HEADER = 4_096;

function factOf(answer: Answer, { url, credential, identityToken, attempts }: SignInContext) {
  const time = serviceTime(answer) ?? answer.receivedAt;
  const claims = claimsOf(identityToken);
  const fact = `${url} answered ${statusText(answer, identityToken)} to the identity token (${credential.origin}; ${describeClaims(claims, time)})${attempts}.`;
  return { claims, time, fact };
}

/** The web server before Keystone refuses the token itself. */
function notValid(answer: Answer, context: SignInContext): IamTokensError {
  const { claims, time, fact } = factOf(answer, context);
  const { iss, aud, exp } = claims;
  if (exp !== undefined && exp <= time) {
    return new IamTokensError(CODE, `${fact} The identity token has expired.`, {
      remedy:
        "Get a new one just before the run: an identity token lives minutes. If it is new, compare the clocks of its issuer and of the service.",
      headline: "The identity token has expired.",
    });
  }
  const named = (text: string | undefined) => (text === undefined ? "" : ` (${quote(text)})`);
  return new IamTokensError(
    CODE,
    withCandidates(fact, [
      `The service does not accept the audience${named(aud)}: request a token with the audience that the service's operator names.`,
      `The service does not accept the issuer${named(iss)}, or has no key of it that fits the signature.`,
      "The token was changed or cut, or is not an identity token: some CI systems have several kinds.",
    ]),
  );
}

/** Keystone has no such protocol, or cannot map the token to a user. */
function notMapped(answer: Answer, context: SignInContext): IamTokensError {
  const { identityProvider, protocol } = context.credential;
  const { claims, fact } = factOf(answer, context);
  const read = (["aud", "sub"] as const).flatMap((name) => {
    const text = claims[name];
    return text === undefined ? [] : `${name} ${quote(text)}`;
  });
  const about = read.length === 0 ? "" : ` (${read.join(", ")})`;
  return new IamTokensError(
    CODE,
    withCandidates(fact, [
      `The identity provider ${quote(identityProvider)} has no protocol ${quote(protocol)}.`,
      `No rule of its mapping fits this token${about}.`,
      "The web server at this address does not read identity tokens for this identity provider and protocol.",
    ]),
  );
}

function issuerNotAccepted(answer: Answer, context: SignInContext): IamTokensError {
  const { fact, claims } = factOf(answer, context);
  const provider = quote(context.credential.identityProvider);
  const issuer = claims.iss === undefined ? "the token's issuer" : `issuer ${quote(claims.iss)}`;
  return new IamTokensError(
    CODE,
    `${fact} The identity provider ${provider} does not accept ${issuer}.`,
    {
      remedy:
        "Correct identity_provider, or ask the service's operator to add the issuer to its remote ids.",
      headline: `The identity provider ${provider} does not accept ${issuer}.`,
    },
  );
}

/** The same answer if it has another protocol only. */
function noProvider(answer: Answer, context: SignInContext): IamTokensError {
  const { fact } = factOf(answer, context);
  const [provider, protocol] = [
    quote(context.credential.identityProvider),
    quote(context.credential.protocol),
  ];
  const headline = `There is no identity provider ${provider} with a protocol ${protocol}.`;
  return new IamTokensError(CODE, `${fact} ${headline}`, {
    remedy:
      "Correct identity_provider and protocol: they are Keystone's ids, which the operator names.",
    headline,
  });
}

/** The web server does not read the header. */
function tooLong(answer: Answer, context: SignInContext, length: number): IamTokensError {
  const { fact } = factOf(answer, context);
  return new IamTokensError(
    CODE,
    `${fact} The identity token has ${length} characters, which may be more than its web server reads.`,
    {
      remedy:
        "Request a token with fewer claims, or ask the service's operator to raise the limit (Apache: LimitRequestFieldSize).",
      headline: `The identity token has ${length} characters, and the web server answered ${answer.status}.`,
    },
  );
}
