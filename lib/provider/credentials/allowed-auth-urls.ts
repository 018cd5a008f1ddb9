import { type AuthUrl, IamTokensError, parseAuthUrl } from "../../tokens";
import { named } from "../configuration/wording";
import { attachedNote, type Surroundings } from "../process/surroundings";

/** Which identity services a pipeline's secrets may go to; no module can widen it. */
export const ALLOWED_AUTH_URLS = "IAM_TOKENS_ALLOWED_AUTH_URLS";

/**
 * Refuses an address that IAM_TOKENS_ALLOWED_AUTH_URLS does not list, before any secret is read.
 * Entries are completed as addresses are, then compared whole. When the variable is not set every
 * address is allowed; when it is set and empty, none is.
 *
 * @throws ERR_ADDRESS_NOT_ALLOWED; ERR_ADDRESS_INVALID when an entry is no address: a list with a
 * mistake allows nothing
 */
export function assertAllowedAuthUrl(authUrl: AuthUrl, surroundings: Surroundings): void {
  const text = surroundings.variables[ALLOWED_AUTH_URLS];
  if (text === undefined) return;
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  const allowed = entries.map((entry, index) =>
    named(`Entry ${index + 1} of ${ALLOWED_AUTH_URLS}`, () => parseAuthUrl(entry).v3),
  );
  if (allowed.includes(authUrl.v3)) return;
  const count =
    allowed.length === 0
      ? "is set and empty: no address is allowed"
      : `does not list it (entries: ${allowed.length})`;
  throw new IamTokensError(
    "ERR_ADDRESS_NOT_ALLOWED",
    `The address is ${authUrl.v3}, and ${ALLOWED_AUTH_URLS} ${count}.${attachedNote(surroundings)}`,
  );
}
