import { IamTokensError } from "../../tokens";
import { isKeystones } from "./answer";
import { answerOf, type Exchanged } from "./exchanged";
import { refusalError } from "./refusal";

/** A revoked token, or one that the service did not accept any more. */
export type Revocation = "revoked" | "gone";

/** Statuses that may mean that the token is gone: the body says whether Keystone answers. */
export const revokeWantsBody = (status: number): boolean => status === 401 || status === 404;

/**
 * Interprets the outcome of a revocation. 204 means success. 401 and 404 of a Keystone mean that it
 * does not accept the token any more, which is the goal; of anything else, such as a proxy or
 * another server at that address, they mean nothing.
 *
 * @throws the codes of faults and refusals
 */
export function interpretRevoke(exchanged: Exchanged): Revocation {
  const answer = answerOf(exchanged);
  if (answer.status === 204) return "revoked";
  if (revokeWantsBody(answer.status) && isKeystones(answer)) return "gone";
  const refusal = refusalError(answer, exchanged);
  if (answer.status !== 401) throw refusal;
  throw new IamTokensError("ERR_ANSWER_UNEXPECTED", refusal.parts.fact, {
    more: "It is not Keystone's 401, and does not say that the token is gone.",
  });
}
