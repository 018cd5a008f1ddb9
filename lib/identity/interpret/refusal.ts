import { IamTokensError, type Secret } from "../../tokens";
import type { Answer } from "../transport/transport";
import { requestIdOf } from "./headers";

/** The status, with the request id when there is one that may be shown. */
export function statusText(answer: Answer, secret: Secret): string {
  const id = requestIdOf(answer, secret);
  return id === undefined ? String(answer.status) : `${answer.status} (request id ${id})`;
}

/**
 * The error of an answer that is neither a success nor a 401. Only status and request id enter it.
 */
export function refusalError(
  answer: Answer,
  url: string,
  secret: Secret,
  told: string,
): IamTokensError {
  const { status } = answer;
  const problem = `${url} answered ${statusText(answer, secret)}${told}.`;
  if (status >= 300 && status < 400) return new IamTokensError("ERR_REDIRECTED", problem);
  if (status === 404) {
    return new IamTokensError(
      "ERR_ENDPOINT_NOT_FOUND",
      `${problem} That address was built from the one given: one that ends in /v3 is used as it is, one that ends in /identity gets /v3, any other gets /identity/v3; then /auth/tokens follows.`,
    );
  }
  if (status === 429) return new IamTokensError("ERR_RATE_LIMITED", problem);
  if (status >= 400 && status < 500) return new IamTokensError("ERR_REQUEST_REFUSED", problem);
  if (status >= 500 && status < 600) return new IamTokensError("ERR_SERVICE_FAILED", problem);
  return new IamTokensError("ERR_ANSWER_UNEXPECTED", problem);
}
