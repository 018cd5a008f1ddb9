import { IamTokensError, quote } from "../tokens";
import { PROVIDER_SOURCE } from "./names";

/** The key of a program's context with the provider's address in a registry or a mirror. */
export const SOURCE_CONTEXT = "cdktf-iam-tokens:providerSource";

/** Terraform judges the rest at its init; here it is a part of paths. */
const SOURCE = /^(?:[a-z0-9][a-z0-9.:-]{0,253}\/)?[a-z0-9-]{1,99}\/iam$/i;

/**
 * An address by which a configuration requires this provider, in lower case: Terraform compares it
 * so.
 *
 * @param whose what gives it: "The context"
 * @param given undefined for the address of the package
 * @throws ERR_PROVIDER_SOURCE_INVALID
 */
export function toProviderSource(whose: string, given: unknown = PROVIDER_SOURCE): string {
  if (typeof given === "string" && SOURCE.test(given)) return given.toLowerCase();
  throw new IamTokensError("ERR_PROVIDER_SOURCE_INVALID", `${whose} is ${quote(String(given))}.`, {
    allowed: "OWNER/iam or HOST/OWNER/iam",
  });
}
