import { IamTokensError } from "../../tokens";
import type { Answer } from "../transport/transport";
import { headerValues, isKeystones } from "./answer";
import { answerOf, type Exchanged } from "./exchanged";
import { refusalError } from "./refusal";

/** A revoked token, or one that the service did not accept any more. */
export type Revocation = "revoked" | "gone";

/** Whether the service accepts a token. */
export type Validation = "alive" | "gone";

/**
 * Interprets the outcome of a revocation.
 *
 * @throws the codes of faults and refusals
 */
export function interpretRevoke(exchanged: Exchanged): Revocation {
  return isDone(exchanged, 204) ? "revoked" : "gone";
}

/**
 * Interprets the outcome of a validation. Keystone's 200 names the token.
 *
 * @throws the codes of faults and refusals
 */
export function interpretValidate(exchanged: Exchanged): Validation {
  const token = exchanged.secret.reveal();
  const names = (answer: Answer) => headerValues(answer, "x-subject-token").includes(token);
  return isDone(exchanged, 200, names) ? "alive" : "gone";
}

/**
 * False if the token is gone: 401 and 404 of a Keystone mean that it does not accept it any more.
 * Of anything else, such as a proxy or another server at that address, they mean nothing.
 */
function isDone(
  exchanged: Exchanged,
  success: number,
  isAbout: (answer: Answer) => boolean = () => true,
): boolean {
  const answer = answerOf(exchanged);
  if (answer.status === success && isAbout(answer)) return true;
  if ([401, 404].includes(answer.status) && isKeystones(answer)) return false;
  const refusal = refusalError(answer, exchanged, success);
  if (![200, 401].includes(answer.status)) throw refusal;
  throw new IamTokensError("ERR_ANSWER_UNEXPECTED", refusal.parts.fact, {
    more: "It is not Keystone's answer about a token.",
  });
}
