import { type AuthUrl, IamTokensError, parseAuthUrl } from "../../tokens";
import { named } from "../configuration/wording";
import { allowList, notListed } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";

/**
 * The identity services that a pipeline's secrets may be sent to. No module can extend the list.
 */
export const ALLOWED_AUTH_URLS = "IAM_TOKENS_ALLOWED_AUTH_URLS";

/**
 * Refuses an address that IAM_TOKENS_ALLOWED_AUTH_URLS does not list, before any secret is read.
 * Entries are completed like addresses, then compared as a whole. If the variable is not set, every
 * address is allowed; if it is empty, none is.
 *
 * @throws ERR_ADDRESS_NOT_ALLOWED; ERR_ADDRESS_INVALID if an entry is not an address: a list with a
 * mistake allows nothing
 */
export function assertAllowedAuthUrl(authUrl: AuthUrl, processContext: ProcessContext): void {
  const entries = allowList(ALLOWED_AUTH_URLS, processContext, /[\s,]+/);
  const allowed = entries?.map((entry, index) =>
    named(`Entry ${index + 1} of ${ALLOWED_AUTH_URLS}`, () => parseAuthUrl(entry).v3),
  );
  if (allowed === undefined || allowed.includes(authUrl.v3)) return;
  throw new IamTokensError(
    "ERR_ADDRESS_NOT_ALLOWED",
    `The address is ${authUrl.v3}, and ${notListed(ALLOWED_AUTH_URLS, allowed.length, "address")}`,
  );
}
