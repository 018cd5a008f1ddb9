import { IamTokensError, quote } from "../tokens";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "./names";

/** The key of a program's context with the provider's address in a registry or a mirror. */
export const SOURCE_CONTEXT = "cdktf-iam-tokens:providerSource";

/**
 * An address by which a configuration requires this provider, in lower case: Terraform compares it
 * so.
 *
 * @param whose what gives it: "The context"
 * @param given undefined for the address of the package
 * @throws ERR_PROVIDER_SOURCE_INVALID
 */
export function toProviderSource(whose: string, given: unknown = PROVIDER_SOURCE): string {
  if (isProviderSource(given)) return given.toLowerCase();
  throw new IamTokensError("ERR_PROVIDER_SOURCE_INVALID", `${whose} is ${quote(String(given))}.`, {
    allowed: "OWNER/iam or HOST/OWNER/iam",
  });
}

/** Whether Terraform takes a text as the address of a provider of this type; in ASCII. */
function isProviderSource(text: unknown): text is string {
  if (typeof text !== "string" || text.length > 256) return false;
  const [type, owner = "", host = "h", ...more] = text.toLowerCase().split("/").reverse();
  const [name = "", port = "0", ...others] = host.split(":");
  const isPort = /^\d{1,5}$/.test(port) && Number(port) <= 65_535 && others.length === 0;
  // Terraform takes no other form of an international name than Unicode.
  const isHost = isPort && name.split(".").every((label) => isLabel(label) && !/^xn--/.test(label));
  return (
    type === PROVIDER_TYPE && isLabel(owner) && !owner.includes("--") && isHost && !more.length
  );
}

const isLabel = (text: string) => /^[a-z0-9-]+$/.test(text) && !/^-|-$/.test(text);
