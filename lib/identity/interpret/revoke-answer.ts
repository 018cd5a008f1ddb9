import type { Secret } from "../../tokens";
import type { Limits } from "../limits";
import type { Outcome } from "../transport/transport";
import { faultError } from "./fault";
import { refusalError } from "./refusal";

/**
 * Interprets the outcome of a revocation. 204 means success; 401 and 404 mean that the token no
 * longer exists, which is the goal.
 *
 * @throws the codes of faults and refusals
 */
export function interpretRevoke(
  outcome: Outcome,
  url: string,
  token: Secret,
  limits: Limits,
  attempts: string,
): void {
  if (outcome.kind === "fault") throw faultError(outcome, url, limits, attempts);
  if (outcome.status === 204 || outcome.status === 401 || outcome.status === 404) return;
  throw refusalError(outcome, url, token, attempts);
}
