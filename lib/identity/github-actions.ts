import { defined, IamTokensError, ofProcess, parseAddress, Secret, words } from "../tokens";
import { sameFor } from "./cache/credential-key";
import { membersOf } from "./interpret/answer";
import { answerOf, type Exchanged } from "./interpret/exchanged";
import type { Logins } from "./login";
import { byBearer } from "./requests";
import { isPassing } from "./retry";
import type { Services } from "./service";

/** A request to GitHub Actions for the identity token of a job. */
export interface IdentityTokenRequest {
  /** ACTIONS_ID_TOKEN_REQUEST_URL of the job. */
  readonly url: string;
  /** ACTIONS_ID_TOKEN_REQUEST_TOKEN of the job. */
  readonly bearer: Secret;
  /** For whom the token is: the `aud` that the identity service accepts. */
  readonly audience: string;
}

/**
 * Requests an identity token from GitHub Actions, for one sign-in. The secret of the request is
 * only sent to an https address, or to this machine; redirects are not followed. A refusal is
 * remembered.
 *
 * @throws ERR_IDENTITY_TOKEN_UNAVAILABLE, ERR_ADDRESS_INVALID and the codes of faults
 */
export async function requestFromGitHub(
  { url, bearer, audience }: IdentityTokenRequest,
  services: Services,
  logins: Logins,
  signal: AbortSignal,
): Promise<Secret> {
  assertRequestUrl(url);
  const keys = sameFor(JSON.stringify([url, logins.keys.digest(bearer), audience]));
  logins.assertNotRefused(keys);
  const address = new URL(url);
  address.searchParams.set("audience", audience);
  const request = {
    method: "GET",
    url: address.href,
    ...byBearer(bearer),
    bodyOf: [200],
    passing: PENDING,
  } as const;
  const exchanged = await services.at(url).ask(request, {}, signal);
  const interpret = () => interpretIdentityToken(exchanged);
  return isPassing(exchanged.outcome) ? interpret() : logins.remember(keys, interpret);
}

/** GitHub's answer while a job is still pending, and where it has no permission. */
const PENDING = 403;
const REQUEST_URL = ofProcess("ACTIONS_ID_TOKEN_REQUEST_URL");

function assertRequestUrl(url: string): void {
  try {
    parseAddress(url, "any query");
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    throw new IamTokensError(error.code, words`${REQUEST_URL}: ${error.parts.fact}`, {
      remedy: "Leave it as GitHub Actions sets it.",
    });
  }
}

function interpretIdentityToken(exchanged: Exchanged): Secret {
  const { url, secret, triesInWords } = exchanged;
  const answer = answerOf(exchanged);
  const refuse = (what: string): never => {
    const more =
      answer.status === PENDING ? "GitHub says so also while a job is still pending." : undefined;
    const remedy = isPassing(answer) ? "Run the job again later." : undefined;
    throw new IamTokensError(
      "ERR_IDENTITY_TOKEN_UNAVAILABLE",
      words`${new URL(url).origin} answered ${what} to the request for an identity token (${REQUEST_URL})${triesInWords}.`,
      defined({ more, remedy }),
    );
  };
  if (answer.status !== 200) return refuse(String(answer.status));
  const { value } = membersOf(answer.json);
  if (typeof value !== "string" || value === "")
    return refuse('200 without a JSON object that has a "value"');
  // It would be sent to the identity service.
  if (value.includes(secret.reveal())) return refuse("200 with the secret of the request");
  return Secret.of(value);
}
