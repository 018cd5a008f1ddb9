import { IamTokensError, words } from "../../tokens";
import { headerValues, isKeystones } from "./answer";
import { answerOf, type Exchanged } from "./exchanged";
import { refusalError, statusText } from "./refusal";

/** Whether the service accepts a token. */
export type Validation = "alive" | "gone";

/**
 * Interprets the outcome of a validation. Keystone's 200 names the token; its 401 and 404 mean that
 * it does not accept the token any more. Of another server at that address, they mean nothing.
 *
 * @throws the codes of faults and refusals
 */
export function interpretValidate(exchanged: Exchanged): Validation {
  const answer = answerOf(exchanged);
  const { url, secret: token } = exchanged;
  const { status } = answer;
  if ((status === 401 || status === 404) && isKeystones(answer)) return "gone";
  if (status === 200 && headerValues(answer, "x-subject-token").includes(token.reveal()))
    return "alive";
  if (status !== 200 && status !== 401) throw refusalError(answer, exchanged);
  throw new IamTokensError(
    "ERR_ANSWER_UNEXPECTED",
    words`${url} answered ${statusText(answer, token)}.`,
    { more: "It is not Keystone's answer about a token." },
  );
}
