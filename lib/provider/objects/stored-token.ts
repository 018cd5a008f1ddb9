import type { CtyObject } from "../../plugin/cty/value";
import { type AuthUrl, parseAuthUrl, Secret, TOKEN_LENGTH } from "../../tokens";
import { rememberSecret } from "../secrets/known-secrets";
import { named } from "../wording";

/** The provider stores no longer token. */
const SENDABLE = new RegExp(`^[\\x21-\\x7e]{1,${TOKEN_LENGTH}}$`);

/**
 * A token that can be sent; undefined if there is none, or if it was not issued. No message has it
 * from now on.
 */
export function sendable(token: unknown): Secret | undefined {
  if (typeof token !== "string") return undefined;
  rememberSecret(token);
  return SENDABLE.test(token) ? Secret.of(token) : undefined;
}

/**
 * The address that issued the token in a state.
 *
 * @throws ERR_ADDRESS_INVALID
 */
export function issuerOf({ auth_url }: CtyObject): AuthUrl {
  return named("The token's address in the state", () => parseAuthUrl(auth_url));
}
