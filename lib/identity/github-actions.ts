import { defined, IamTokensError, ofProcess, Secret, words } from "../tokens";
import { parseAddress } from "../tokens/address";
import { digest } from "./cache/credential-key";
import { jsonOf } from "./interpret/answer";
import { faultError } from "./interpret/refusal";
import type { Limits } from "./limits";
import { JSON_ANSWER } from "./requests";
import type { Exchanged, ExchangeRequest } from "./retry/exchange";
import { isPassing } from "./retry/policy";
import type { CredentialMemory } from "./waiting/credential-memory";

/** A request to GitHub Actions for the identity token of a job. */
export interface IdentityTokenRequest {
  /** ACTIONS_ID_TOKEN_REQUEST_URL of the job. */
  readonly url: string;
  /** ACTIONS_ID_TOKEN_REQUEST_TOKEN of the job. */
  readonly bearer: Secret;
  /** For whom the token is: the `aud` that the identity service accepts. */
  readonly audience: string;
}

interface Tools {
  readonly send: (wanted: ExchangeRequest) => Promise<Exchanged>;
  readonly memory: CredentialMemory;
  readonly limits: Limits;
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
  { send, memory, limits }: Tools,
): Promise<Secret> {
  assertRequestUrl(url);
  const key = digest(memory.processKey, [url, bearer.reveal(), audience]);
  const tried = { key, login: key };
  memory.assertNotRefused(tried);
  const exchanged = await send({
    request: {
      method: "GET",
      // It has a query, as GitHub documents it.
      url: `${url}&audience=${encodeURIComponent(audience)}`,
      headers: { authorization: `Bearer ${bearer.reveal()}`, ...JSON_ANSWER },
    },
    wantsBody: (status) => status === 200,
  });
  const interpret = () => interpretIdentityToken(exchanged, url, bearer, limits);
  return isPassing(exchanged.outcome) ? interpret() : memory.judge(tried, interpret);
}

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

function interpretIdentityToken(
  { outcome, attempts }: Exchanged,
  url: string,
  bearer: Secret,
  limits: Limits,
): Secret {
  if (outcome.kind === "fault") throw faultError(outcome, url, limits, attempts);
  const refuse = (what: string): never => {
    const remedy = isPassing(outcome) ? "Run the job again later." : undefined;
    throw new IamTokensError(
      "ERR_IDENTITY_TOKEN_UNAVAILABLE",
      words`${new URL(url).origin} answered ${what} to the request for an identity token (${REQUEST_URL})${attempts}.`,
      defined({ remedy }),
    );
  };
  if (outcome.status !== 200) return refuse(String(outcome.status));
  const { value } = Object(jsonOf(outcome)) as Record<string, unknown>;
  if (typeof value !== "string" || value === "")
    return refuse('200 without a JSON object that has a "value"');
  // It would be sent to the identity service.
  if (value.includes(bearer.reveal())) return refuse("200 with the secret of the request");
  return Secret.of(value);
}
