import { IamTokensError, quote } from "../tokens";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "./names";

/** The key of a program's context with the provider's address in a registry or a mirror. */
export const SOURCE_CONTEXT = "cdktf-iam-tokens:providerSource";

/**
 * An address by which a configuration requires this provider.
 *
 * @param whose what gives it: "The context"
 * @param given undefined for the address of the package
 * @throws ERR_PROVIDER_SOURCE_INVALID
 */
export function toProviderSource(whose: string, given: unknown = PROVIDER_SOURCE): string {
  if (isProviderSource(given)) return given;
  throw new IamTokensError("ERR_PROVIDER_SOURCE_INVALID", `${whose} is ${quote(String(given))}.`, {
    allowed: "OWNER/iam or HOST/OWNER/iam",
  });
}

/** Whether a text is the address of a provider of this type. */
function isProviderSource(text: unknown): text is string {
  if (typeof text !== "string" || text.length > 256) return false;
  const [type, owner = "", host, ...more] = text.toLowerCase().split("/").reverse();
  const isHost = host === undefined || /^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?$/.test(host);
  return type === PROVIDER_TYPE && /^[a-z0-9][a-z0-9_-]*$/.test(owner) && isHost && !more.length;
}
