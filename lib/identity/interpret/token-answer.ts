import { type AuthUrl, IamTokensError } from "../../tokens";
import { type Heard, headerValues, isKeystones } from "./answer";
import { answerOf, type Exchanged } from "./exchanged";
import { refusalError } from "./refusal";

/**
 * What Keystone answers to a token that revokes itself. `refused` is of now: for good if the token
 * was revoked or has expired, its password was replaced or its user disabled; but not while only its
 * project is disabled, or its user has lost a role.
 */
export type Revocation = "revoked" | "refused";

/** What Keystone answers to a token that asks about itself. */
export type Validation = "alive" | "refused";

/**
 * Interprets the outcome of a revocation.
 *
 * @throws ERR_TOKEN_HIDDEN, and the codes of faults and refusals
 */
export const interpretRevoke = (exchanged: Exchanged, authUrl: AuthUrl): Revocation =>
  standing(exchanged, authUrl, 204, "revoked", () => true);

/**
 * Interprets the outcome of a validation. Keystone's 200 names the token.
 *
 * @throws as {@link interpretRevoke}
 */
export const interpretValidate = (exchanged: Exchanged, authUrl: AuthUrl): Validation =>
  standing(exchanged, authUrl, 200, "alive", (answer) =>
    headerValues(answer, "x-subject-token").includes(exchanged.secret.reveal()),
  );

/**
 * Never more than is said: Keystone's 401 refuses the token, its 404 has accepted it and hides it.
 * Of anything else, such as a proxy or another server at that address, they mean nothing.
 */
function standing<Good extends string>(
  exchanged: Exchanged,
  authUrl: AuthUrl,
  success: number,
  good: Good,
  isAbout: (answer: Heard) => boolean,
): Good | "refused" {
  const answer = answerOf(exchanged);
  const { status } = answer;
  if (status === success && isAbout(answer)) return good;
  const isFromKeystone = isKeystones(answer);
  if (status === 401 && isFromKeystone) return "refused";
  const refusal = refusalError(answer, exchanged, success, authUrl);
  if (status === 404 && isFromKeystone)
    throw new IamTokensError("ERR_TOKEN_HIDDEN", refusal.parts.fact, { more: HIDDEN });
  if (![200, 401].includes(status)) throw refusal;
  throw new IamTokensError("ERR_ANSWER_UNEXPECTED", refusal.parts.fact, {
    more: "It is not Keystone's answer about a token.",
  });
}

const HIDDEN =
  "It accepted the token, which may not be looked at: it lives, or will again. Its application credential has access rules, its project is disabled, or its user has lost a role there.";
