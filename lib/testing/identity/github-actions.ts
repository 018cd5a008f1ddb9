import type { IdentityAnswer, RawRequest } from "./exchange";
import type { Federation } from "./federation";
import type { Noted } from "./journal";

/** @internal Where a job of GitHub Actions would ask for its identity token. */
export const GITHUB_ACTIONS = "/github-actions/id-token";

/**
 * The variables of a job of GitHub Actions that has `permissions: id-token: write`.
 *
 * @see docs/testing.md
 */
export interface GithubActionsVariables {
  readonly ACTIONS_ID_TOKEN_REQUEST_URL: string;
  /** A secret. */
  readonly ACTIONS_ID_TOKEN_REQUEST_TOKEN: string;
}

/** @internal GET …&audience=…, with the job's bearer. */
export function giveIdToken(
  { query, headers }: RawRequest,
  { jobs, issuer }: Federation,
): IdentityAnswer {
  const job = jobs.find(({ bearer }) => headers.authorization === `Bearer ${bearer}`);
  if (job === undefined)
    return answer(401, { message: "Unauthorized" }, { reason: "token_unknown" });
  const aud = new URLSearchParams(query).get("audience") ?? "https://github.com/octo-org";
  const value = issuer.issue(job.provider, { ...job.options, aud });
  return answer(200, { count: value.length, value });
}

function answer(status: number, body: object, noted: Noted = {}): IdentityAnswer {
  const headers = { "Content-Type": "application/json; charset=utf-8" };
  return { status, headers, body: JSON.stringify(body), noted, hasRequestId: false };
}
