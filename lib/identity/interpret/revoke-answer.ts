import type { Secret } from "../../tokens";
import type { Limits } from "../limits";
import type { Outcome } from "../transport/transport";
import { faultError } from "./fault";
import { refusalError } from "./refusal";

/**
 * What the outcome of a revocation means. 204 is done; 401 and 404 say that the token is gone
 * already, which is what was wanted.
 *
 * @throws the codes of faults and refusals
 */
export function interpretRevoke(
  outcome: Outcome,
  url: string,
  token: Secret,
  limits: Limits,
  told: string,
): void {
  if (outcome.kind === "fault") throw faultError(outcome, url, limits, told);
  if (outcome.status === 204 || outcome.status === 401 || outcome.status === 404) return;
  throw refusalError(outcome, url, token, told);
}
