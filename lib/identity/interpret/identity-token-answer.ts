import { defined, IamTokensError, Secret } from "../../tokens";
import { parseAddress } from "../../tokens/address";
import type { Limits } from "../limits";
import type { Outcome } from "../transport/transport";
import { faultError } from "./fault";
import { jsonOf } from "./keystone-error";

/** Bytes of an answer with an identity token. */
export const IDENTITY_TOKEN_BODY_BYTES = 64 * 1024;

export const identityTokenWantsBody = (status: number): boolean => status === 200;

/**
 * The address that a job of GitHub Actions requests identity tokens at: https, or on this machine.
 *
 * @throws ERR_ADDRESS_INVALID
 */
export function assertRequestUrl(url: string): void {
  try {
    parseAddress(url, "any query");
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    throw new IamTokensError(error.code, `ACTIONS_ID_TOKEN_REQUEST_URL: ${error.problem}`, {
      remedy: "Leave it as GitHub Actions sets it.",
    });
  }
}

/**
 * Interprets the answer of GitHub Actions to the request for an identity token.
 *
 * @throws ERR_IDENTITY_TOKEN_UNAVAILABLE and the codes of faults
 */
export function interpretIdentityToken(
  outcome: Outcome,
  { url, bearer, limits, attempts, passes }: IdentityTokenContext,
): Secret {
  if (outcome.kind === "fault") throw faultError(outcome, url, limits, attempts);
  const { origin } = new URL(url);
  const refuse = (what: string, remedy?: string): IamTokensError =>
    new IamTokensError(
      "ERR_IDENTITY_TOKEN_UNAVAILABLE",
      `${origin} answered ${what} to the request for an identity token (ACTIONS_ID_TOKEN_REQUEST_URL)${attempts}.`,
      defined({ remedy }),
    );
  const { status, end } = outcome;
  if (status !== 200) {
    const isRedirect = status >= 300 && status < 400;
    throw refuse(
      isRedirect ? `${status}, a redirect, which is not followed` : String(status),
      passes ? "Run the job again later." : undefined,
    );
  }
  if (end === "too_large")
    throw refuse(`200 with more than ${IDENTITY_TOKEN_BODY_BYTES / 1024} KiB`);
  const { value } = Object(jsonOf(outcome)) as Record<string, unknown>;
  if (typeof value !== "string" || value === "")
    throw refuse('200 without a JSON object that has a "value"');
  // It would be sent to the identity service.
  if (value.includes(bearer.reveal())) throw refuse("200 with the secret of the request");
  return Secret.of(value);
}

/** Expectations for the answer. */
interface IdentityTokenContext {
  readonly url: string;
  readonly bearer: Secret;
  readonly limits: Limits;
  readonly attempts: string;
  /** Whether the answer is about a failure that may be over soon. */
  readonly passes: boolean;
}
