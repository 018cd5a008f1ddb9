import type { AuthUrl } from "../../tokens";
import { assertAllowed } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";

export { ALLOWED_AUTH_URLS } from "../process/allow-list";

/** Until its callers use {@link assertAllowed} themselves. */
export function assertAllowedAuthUrl({ v3 }: AuthUrl, processContext: ProcessContext): void {
  assertAllowed("address", v3, `The address ${v3}`, processContext);
}
