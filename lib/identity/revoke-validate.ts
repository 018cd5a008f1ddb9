import type { RevokeRequest } from "./credential";
import {
  interpretRevoke,
  interpretValidate,
  type Revocation,
  type Validation,
} from "./interpret/token-answer";
import { revokeRequest, validateRequest } from "./requests";
import type { Asking, Services } from "./service";

/**
 * Revokes a token by itself.
 *
 * @throws ERR_CANCELLED and the codes of the answer
 */
export async function revokeToken(
  { tls, ...request }: RevokeRequest & Pick<Asking, "outlivesClose">,
  services: Services,
  signal: AbortSignal,
): Promise<Revocation> {
  const service = services.at(request.authUrl.v3, tls);
  const exchanged = await service.ask(revokeRequest(request), request, signal);
  return interpretRevoke(exchanged, request.authUrl);
}

/**
 * Asks the service whether it accepts a token, by the token itself, in one attempt; not after a
 * silence a short time ago.
 *
 * @throws ERR_CANCELLED and the codes of the answer
 */
export async function validateToken(
  { tls, ...asked }: Omit<RevokeRequest, "retryForMs">,
  services: Services,
  signal: AbortSignal,
): Promise<Validation> {
  const service = services.at(asked.authUrl.v3, tls);
  const { validateMs, requestMs } = services.tools.limits;
  const once = { retryForMs: 0, requestMs: Math.min(validateMs, requestMs) };
  const exchanged = service.silence ?? (await service.ask(validateRequest(asked), once, signal));
  return interpretValidate(exchanged, asked.authUrl);
}
