import { formatDuration } from "../../../tokens";
import { addressesOf } from "../addresses";
import type { Check } from "../check";
import { crossOf, type Finding, ok, skipped, warning } from "../finding";

/**
 * Whether each identity service answers, and how fast. Any status is an answer: what it says
 * without a credential is its own affair.
 */
export const checkIdentityService: Check = async (scene) => {
  const addresses = await addressesOf(scene);
  if (addresses.length === 0)
    return [skipped("No address is known: give --auth-url, or set OS_AUTH_URL.")];
  const found: Finding[] = [];
  for (const { url, service } of addresses) {
    try {
      const { status, firstMs, againMs } = await scene.reached(service);
      const again = againMs === undefined ? "" : `, ${milliseconds(againMs)} the second time`;
      const tls = url.startsWith("https:") ? ", its certificate is trusted" : "";
      const text = `${url} answers (${status}) in ${milliseconds(firstMs)}${again}${tls}.`;
      if (status >= 500) found.push(warning(text, "The service has a fault: look at its state."));
      else if (status === 404)
        found.push(
          warning(
            text,
            "See whether the path is right; --issue shows whether tokens are issued there.",
          ),
        );
      else found.push(ok(text));
    } catch (error) {
      found.push(crossOf(error));
    }
  }
  return found;
};

function milliseconds(time: number): string {
  return time < 10_000 ? `${Math.max(1, Math.round(time))} ms` : formatDuration(time);
}
