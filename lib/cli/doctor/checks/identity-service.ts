import { ALLOWED_AUTH_URLS } from "../../../provider/credentials/allowed-auth-urls";
import { formatDuration, IamTokensError } from "../../../tokens";
import { type Check, cross, crossOf, type Finding, ok, skipped, unless, warning } from "../finding";

/**
 * Whether each identity service answers, and how fast. Any status is an answer: what it says
 * without a credential is its own affair.
 */
export const checkIdentityService: Check = async (scene) => {
  const addresses = await scene.addresses();
  if (addresses.length === 0)
    return skipped("No address is known: give --auth-url, or set OS_AUTH_URL.");
  const found: Finding[] = [];
  for (const { url, service } of addresses) {
    try {
      const { status, firstMs, againMs } = await scene.reached(service);
      const again = againMs === undefined ? "" : `, ${milliseconds(againMs)} the second time`;
      const tls = url.startsWith("https:") ? ", its certificate is trusted" : "";
      const text = `${url} answers (${status}) in ${milliseconds(firstMs)}${again}${tls}.`;
      const remedy =
        status >= 500
          ? "The service has a fault: look at its state."
          : status === 404
            ? "See whether the path is right; --issue shows whether tokens are issued there."
            : undefined;
      found.push(remedy === undefined ? ok(text) : warning(text, remedy));
    } catch (error) {
      const refused = IamTokensError.is(error) && error.code === "ERR_ADDRESS_NOT_ALLOWED";
      found.push(
        refused
          ? skipped(`${url} is not asked: ${ALLOWED_AUTH_URLS} does not list it.`)
          : crossOf(error),
      );
    }
  }
  return found;
};

function milliseconds(time: number): string {
  return time < 10_000 ? `${Math.max(1, Math.round(time))} ms` : formatDuration(time);
}

/** Schedules reckon with a difference of this much by default. */
const TOLERATED_MS = 5 * 60_000;
/** Below this it may as well be the network. */
const NOTICED_MS = 60_000;

/**
 * How far the clocks of this machine and of the identity service are apart: an expiry is a time of
 * the service.
 */
export const checkClock: Check = async (scene) => {
  const found: Finding[] = [];
  for (const { url, service } of await scene.addresses()) {
    const { host } = new URL(url);
    // That it cannot be reached is said by the other check.
    const reached = await scene.reached(service).catch(() => undefined);
    const ahead = reached?.clockAheadMs;
    if (ahead === undefined) {
      found.push(skipped(`${host} does not tell its time, or cannot be reached.`));
      continue;
    }
    const off = Math.abs(ahead);
    const text = `This machine's clock is ${formatDuration(off)} ${ahead < 0 ? "behind" : "ahead of"} that of ${host}.`;
    const remedy =
      "Set the clock of this machine (NTP); what is rotated by time is rotated too late, too early or at each plan.";
    if (off > TOLERATED_MS) found.push(cross(text, remedy));
    else if (off > NOTICED_MS) found.push(warning(text, remedy));
    else found.push(ok(`This machine's clock and that of ${host} are the same, within a minute.`));
  }
  return unless(found, () => skipped("No address is known."));
};
