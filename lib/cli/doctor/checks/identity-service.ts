import { ALLOWED_AUTH_URLS } from "../../../provider/credentials/allowed-auth-urls";
import { formatDuration, IamTokensError } from "../../../tokens";
import type { Check } from "../doctor-context";
import { type Finding, failure, failureOf, findingsOr, ok, skipped, warning } from "../finding";

/**
 * Whether each identity service answers, and how fast. Every status counts as an answer, because
 * the request has no credential.
 */
export const checkIdentityService: Check = async (context) => {
  const addresses = await context.addresses();
  if (addresses.length === 0)
    return skipped("No address is known. Give --auth-url, or set OS_AUTH_URL.");
  const found: Finding[] = [];
  for (const { url, service } of addresses) {
    try {
      const { status, tookMs } = await context.reached(service);
      const tls = url.startsWith("https:") ? ", its certificate is trusted" : "";
      const text = `${url} answers (${status}) in ${milliseconds(tookMs)}${tls}.`;
      const remedy =
        status >= 500
          ? "The service failed: check its status."
          : status === 404
            ? "Check the path. Run with --issue to find out whether this address issues tokens."
            : undefined;
      found.push(remedy === undefined ? ok(text) : warning(text, remedy));
    } catch (error) {
      const refused = IamTokensError.is(error) && error.code === "ERR_ADDRESS_NOT_ALLOWED";
      found.push(
        refused
          ? skipped(`${url} was not contacted: ${ALLOWED_AUTH_URLS} does not list it.`)
          : failureOf(error),
      );
    }
  }
  return found;
};

function milliseconds(time: number): string {
  return time < 10_000 ? `${Math.max(1, Math.round(time))} ms` : formatDuration(time);
}

/** Schedules tolerate this difference by default. */
const TOLERATED_MS = 5 * 60_000;
/** A smaller difference may come from the network. */
const NOTICED_MS = 60_000;

/**
 * The difference between the clocks of this machine and of the identity service: expiry times are
 * the service's.
 */
export const checkClock: Check = async (context) => {
  const found: Finding[] = [];
  for (const { url, service } of await context.addresses()) {
    const { host } = new URL(url);
    // The other check reports an unreachable service.
    const reached = await context.reached(service).catch(() => undefined);
    const ahead = reached?.clockAheadMs;
    if (ahead === undefined) {
      found.push(skipped(`${host} sends no Date header, or cannot be reached.`));
      continue;
    }
    const off = Math.abs(ahead);
    const text = `This machine's clock is ${formatDuration(off)} ${ahead < 0 ? "behind" : "ahead of"} that of ${host}.`;
    const remedy =
      "Set the clock of this machine (NTP). Until then rotations come too late, too early or at each plan.";
    if (off > TOLERATED_MS) found.push(failure(text, remedy));
    else if (off > NOTICED_MS) found.push(warning(text, remedy));
    else found.push(ok(`The clocks of this machine and ${host} agree within a minute.`));
  }
  return findingsOr(found, () => skipped("No address is known."));
};
