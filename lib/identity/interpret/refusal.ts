import { IamTokensError, type Secret } from "../../tokens";
import type { Answer } from "../transport/transport";
import { requestIdOf } from "./headers";

/** The status, with the request id if it is safe to print. */
export function statusText(answer: Answer, secret: Secret): string {
  const id = requestIdOf(answer, secret);
  return id === undefined ? String(answer.status) : `${answer.status} (request id ${id})`;
}

/**
 * The error of an answer that is neither a success nor a 401. It contains only status and request
 * id.
 */
export function refusalError(
  answer: Answer,
  url: string,
  secret: Secret,
  attempts: string,
): IamTokensError {
  const { status } = answer;
  const problem = `${url} answered ${statusText(answer, secret)}${attempts}.`;
  if (status >= 300 && status < 400) return new IamTokensError("ERR_REDIRECTED", problem);
  if (status === 404) {
    return new IamTokensError(
      "ERR_ENDPOINT_NOT_FOUND",
      `${problem} The provider built that address from the given one: it adds nothing after /v3, /v3 after /identity, and /identity/v3 after anything else; then ${url.slice(url.lastIndexOf("/v3/") + 3)}.`,
    );
  }
  if (status === 429) return new IamTokensError("ERR_RATE_LIMITED", problem);
  if (status >= 400 && status < 500) return new IamTokensError("ERR_REQUEST_REFUSED", problem);
  if (status >= 500 && status < 600) return new IamTokensError("ERR_SERVICE_FAILED", problem);
  return new IamTokensError("ERR_ANSWER_UNEXPECTED", problem);
}
