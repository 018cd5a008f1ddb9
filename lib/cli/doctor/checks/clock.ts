import { formatDuration } from "../../../tokens";
import { addressesOf } from "../addresses";
import type { Check } from "../check";
import { cross, type Finding, ok, skipped, warning } from "../finding";

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
  for (const { url, service } of await addressesOf(scene)) {
    const host = new URL(url).host;
    const ahead = await scene.reached(service).then(
      ({ clockAheadMs }) => clockAheadMs,
      () => undefined,
    );
    if (ahead === undefined) {
      found.push(skipped(`${host} does not tell its time, or cannot be reached.`));
      continue;
    }
    const off = `This machine's clock is ${formatDuration(Math.abs(ahead))} ${ahead < 0 ? "behind" : "ahead of"} that of ${host}`;
    const remedy =
      "Set the clock of this machine (NTP); what is rotated by time is rotated too late, too early or at each plan.";
    if (Math.abs(ahead) > TOLERATED_MS) found.push(cross(`${off}.`, remedy));
    else if (Math.abs(ahead) > NOTICED_MS) found.push(warning(`${off}.`, remedy));
    else found.push(ok(`This machine's clock and that of ${host} are the same, within a minute.`));
  }
  return found.length > 0 ? found : [skipped("No address is known.")];
};
