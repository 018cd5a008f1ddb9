import { IamTokensError, quote, type Secret } from "../../tokens";
import { withCandidates } from "../../tokens/candidates";
import { type Claims, claimsOf, describeClaims } from "../../tokens/identity-token";
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
 * another answer.
 */
export function signInRefusal(
  outcome: Outcome,
  context: SignInContext,
): IamTokensError | undefined {
  if (outcome.kind !== "answer") return undefined;
  const { url, credential, identityToken, attempts } = context;
  const claims = claimsOf(identityToken);
  const time = serviceTime(outcome) ?? outcome.receivedAt;
  const meaning = meaningOf(outcome, context, claims, time);
  if (meaning === undefined) return undefined;
  const answered = `${url} answered ${statusText(outcome, identityToken)} to the identity token (${credential.origin}; ${describeClaims(claims, time)})${attempts}.`;
  const code = "ERR_CREDENTIALS_REJECTED";
  if ("causes" in meaning)
    return new IamTokensError(code, withCandidates(answered, meaning.causes), {
      headline: `The service answered ${outcome.status} to the identity token, and does not say why.`,
    });
  const { fact: headline, remedy } = meaning;
  return new IamTokensError(code, `${answered} ${headline}`, { remedy, headline });
}

/** What a refusal means: a fact, or one of several causes. */
type Meaning =
  | { readonly fact: string; readonly remedy: string }
  | { readonly causes: readonly string[] };

/** Any web server takes a header of this length; Apache, as it is installed, takes 8190. */
const COMMON_HEADER = 4_096;

/** The web server before Keystone answers in HTML, Keystone in JSON. */
function meaningOf(
  answer: Answer,
  { credential, identityToken }: SignInContext,
  claims: Claims,
  time: number,
): Meaning | undefined {
  const { status } = answer;
  const provider = quote(credential.identityProvider);
  const protocol = quote(credential.protocol);
  if (!isKeystones(answer)) {
    if (status === 401) return ofWebServer(claims, time);
    const { length } = identityToken.reveal();
    return (status === 400 || status === 431) && length > COMMON_HEADER
      ? {
          fact: `The identity token has ${length} characters, which may be more than the web server of the service reads.`,
          remedy:
            "Request a token with fewer claims, or ask the service's operator to raise the limit (Apache: LimitRequestFieldSize).",
        }
      : undefined;
  }
  switch (status) {
    case 401: {
      const read = (["aud", "sub"] as const).flatMap((name) => {
        const text = claims[name];
        return text === undefined ? [] : `${name} ${quote(text)}`;
      });
      return {
        causes: [
          `The identity provider ${provider} has no protocol ${protocol}.`,
          `No rule of its mapping fits this token${read.length === 0 ? "" : ` (${read.join(", ")})`}.`,
          "The web server at this address does not read identity tokens for this identity provider and protocol.",
        ],
      };
    }
    case 403: {
      const issuer =
        claims.iss === undefined ? "the token's issuer" : `issuer ${quote(claims.iss)}`;
      return {
        fact: `The identity provider ${provider} does not accept ${issuer}.`,
        remedy:
          "Correct identity_provider, or ask the service's operator to add the issuer to its remote ids.",
      };
    }
    // The same answer if the identity provider has another protocol only.
    case 404:
      return {
        fact: `There is no identity provider ${provider} with a protocol ${protocol}.`,
        remedy:
          "Correct identity_provider and protocol: they are Keystone's ids, which the operator names.",
      };
    default:
      return undefined;
  }
}

/** The web server before Keystone refuses the token itself. */
function ofWebServer({ iss, aud, exp }: Claims, time: number): Meaning {
  if (exp !== undefined && exp <= time)
    return {
      fact: "The identity token has expired.",
      remedy:
        "Get a new one just before the run: an identity token lives minutes. If it is new, compare the clocks of its issuer and of the service.",
    };
  const named = (text: string | undefined) => (text === undefined ? "" : ` (${quote(text)})`);
  return {
    causes: [
      `The service does not accept the audience${named(aud)}: request a token with the audience that the service's operator names.`,
      `The service does not accept the issuer${named(iss)}, or has no key of it that fits the signature.`,
      "The token was changed or cut, or is not an identity token: some CI systems have several kinds.",
    ],
  };
}
