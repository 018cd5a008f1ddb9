import { IamTokensError, type Secret, words } from "../../tokens";
import type { Limits } from "../limits";
import type { Outcome } from "../transport/transport";
import { headerValues, isKeystones } from "./answer";
import { faultError, refusalError, statusText } from "./refusal";

/** Whether the service accepts a token. */
export type Validation = "alive" | "gone";

/**
 * Interprets the outcome of a validation. Keystone's 200 names the token; its 401 and 404 mean that
 * it does not accept the token any more. Of another server at that address, they mean nothing.
 *
 * @throws the codes of faults and refusals
 */
export function interpretValidate(
  outcome: Outcome,
  url: string,
  token: Secret,
  limits: Limits,
): Validation {
  if (outcome.kind === "fault") throw faultError(outcome, url, limits, "");
  const { status } = outcome;
  if ((status === 401 || status === 404) && isKeystones(outcome)) return "gone";
  if (status === 200 && headerValues(outcome, "x-subject-token").includes(token.reveal()))
    return "alive";
  if (status !== 200 && status !== 401) throw refusalError(outcome, url, token, "");
  throw new IamTokensError(
    "ERR_ANSWER_UNEXPECTED",
    words`${url} answered ${statusText(outcome, token)}.`,
    { more: "It is not Keystone's answer about a token." },
  );
}
