import type { RevokeRequest } from "./credential";
import { interpretRevoke, type Revocation, revokeWantsBody } from "./interpret/revoke-answer";
import { interpretValidate, type Validation } from "./interpret/validate-answer";
import { revokeRequest, validateRequest } from "./requests";
import type { Sender } from "./retry/sender";

/**
 * Revokes a token by itself.
 *
 * @throws ERR_CANCELLED and the codes of the answer
 */
export async function revokeToken(
  { authUrl, token, tls, retryForMs }: RevokeRequest,
  sender: Sender,
  signal: AbortSignal,
): Promise<Revocation> {
  const request = revokeRequest(authUrl, token);
  const wanted = { request, tls, retryForMs, wantsBody: revokeWantsBody };
  return interpretRevoke(await sender.send(wanted, signal));
}

/**
 * Asks the service whether it accepts a token, by the token itself, in one attempt.
 *
 * @throws ERR_CANCELLED and the codes of the answer
 */
export async function validateToken(
  { authUrl, token, tls }: Omit<RevokeRequest, "retryForMs">,
  sender: Sender,
  signal: AbortSignal,
): Promise<Validation> {
  const { validateMs, requestMs } = sender.tools.limits;
  const wanted = {
    request: validateRequest(authUrl, token),
    tls,
    wantsBody: () => false,
    retryForMs: 0,
    requestMs: Math.min(validateMs, requestMs),
  };
  return interpretValidate(await sender.send(wanted, signal));
}
