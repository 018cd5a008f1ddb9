import { OWN_COMMAND } from "./command";

/**
 * Variables that the OpenStack provider reads as well, and with which it silently stops using a
 * token that it was given: with the first it signs in by itself, with each other one it exchanges
 * the token for its own, of that scope, which nobody revokes.
 */
export const SHARED_VARIABLES = [
  "OS_CLOUD",
  ...["OS_PROJECT_NAME", "OS_PROJECT_ID", "OS_TENANT_NAME", "OS_TENANT_ID"],
  ...["OS_DOMAIN_NAME", "OS_DOMAIN_ID"],
] as const;

/** The OpenStack provider's behaviour with one of these variables. */
export const STOPS_USING =
  "the OpenStack provider signs in by itself (OS_CLOUD), or exchanges the token for its own of that scope, which is never revoked";

/** The way out: they are for our provider alone. */
export function withheld(names: readonly string[]): string {
  const options = names.map((name) => `--withhold ${name}`).join(" ");
  return `Let only the provider iam have them: ${OWN_COMMAND} run ${options} -- terraform apply.`;
}
