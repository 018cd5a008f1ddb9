import type { RevokeRequest } from "./credential";
import {
  interpretRevoke,
  interpretValidate,
  type Revocation,
  type Validation,
} from "./interpret/token-answer";
import { revokeRequest, validateRequest } from "./requests";
import type { Sender } from "./retry/sender";

/**
 * Revokes a token by itself.
 *
 * @throws ERR_CANCELLED and the codes of the answer
 */
export async function revokeToken(
  request: RevokeRequest,
  sender: Sender,
  signal: AbortSignal,
): Promise<Revocation> {
  return interpretRevoke(await sender.send(revokeRequest(request), request, signal));
}

/**
 * Asks the service whether it accepts a token, by the token itself, in one attempt.
 *
 * @throws ERR_CANCELLED and the codes of the answer
 */
export async function validateToken(
  { tls, ...asked }: Omit<RevokeRequest, "retryForMs">,
  sender: Sender,
  signal: AbortSignal,
): Promise<Validation> {
  const { validateMs, requestMs } = sender.tools.limits;
  const how = { tls, retryForMs: 0, requestMs: Math.min(validateMs, requestMs) };
  return interpretValidate(await sender.send(validateRequest(asked), how, signal));
}
