import {
  type AuthUrl,
  defined,
  IamTokensError,
  requestId,
  type Secret,
  type Text,
  words,
} from "../../tokens";
import type { Answer } from "../transport/transport";
import { type Heard, isKeystones, requestIdOf } from "./answer";
import type { Exchanged } from "./exchanged";

/** The status, with the request id if it is safe to print. */
export function statusText(answer: Answer, secret: Secret): Text {
  const id = requestIdOf(answer, secret);
  return words`${answer.status}${id && requestId(` (request id ${id})`)}`;
}

/**
 * The error of an answer that is neither a success nor a 401. It contains only status and request
 * id.
 *
 * @param success the status of a success
 */
export function refusalError(
  answer: Heard,
  { url, secret, triesInWords }: Exchanged,
  success: number,
  authUrl: AuthUrl,
): IamTokensError {
  const { status } = answer;
  const fact = words`${url} answered ${statusText(answer, secret)}${triesInWords}.`;
  if (status >= 300 && status < 400) return new IamTokensError("ERR_REDIRECTED", fact);
  if (status === 404)
    return new IamTokensError("ERR_ENDPOINT_NOT_FOUND", fact, {
      more: `That address was built from the given one: nothing is added after /v3, /v3 after /identity, and /identity/v3 after anything else; then ${url.slice(url.lastIndexOf("/v3/") + 3)}.`,
      remedy: `Write the address as the service has it, up to /v3, such as ${authUrl.suggestedV3}.`,
    });
  if (status === 429) return new IamTokensError("ERR_RATE_LIMITED", fact);
  if (status >= 400 && status < 500) {
    if (!isKeystones(answer)) return new IamTokensError("ERR_REQUEST_REFUSED", fact, FIREWALL);
    const remedy = requestIdOf(answer, secret) ? undefined : "Check names and address.";
    return new IamTokensError("ERR_REQUEST_REFUSED", fact, defined({ remedy }));
  }
  if (status >= 500 && status < 600) return new IamTokensError("ERR_SERVICE_FAILED", fact);
  return new IamTokensError("ERR_ANSWER_UNEXPECTED", fact, {
    more: `The identity service answers ${success} there.`,
  });
}

const FIREWALL = {
  more: "The answer is not Keystone's: a firewall or a proxy before it may refuse this request, or require a client certificate (nginx, by a 400).",
  remedy:
    "Check the address, or let its operator allow this machine, and the user agent cdktf-iam-tokens.",
};
