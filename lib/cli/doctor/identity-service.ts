import type { Reached } from "../../identity";
import { readTlsFiles, resolved } from "../../provider/credentials/credentials";
import { ALLOWED_AUTH_URLS, assertAllowedAuthUrl } from "../../provider/process/allow-list";
import { createIdentityAccess } from "../../provider/process/identity-access";
import { loadIdentity } from "../../provider/process/load-part";
import {
  type AuthUrl,
  addressOf,
  formatDuration,
  IamTokensError,
  type UnresolvedUrl,
} from "../../tokens";
import type { Check, DoctorContext } from "./check";
import { type Finding, failure, failureOf, ok, skipped, warning } from "./finding";
import type { Service } from "./services";

/**
 * Whether each identity service answers, and how fast. Every status counts as an answer, because
 * the request has no credential.
 */
export const checkIdentityService: Check = (context) =>
  ofEachAddress(context, (url, reached) => {
    if (IamTokensError.is(reached)) {
      return reached.code === "ERR_ADDRESS_NOT_ALLOWED"
        ? skipped(`${url} was not contacted: ${ALLOWED_AUTH_URLS} does not list it.`)
        : failureOf(reached);
    }
    const { status, tookMs } = reached;
    const tls = url.protocol === "https:" ? ", its certificate is trusted" : "";
    const text = `${url} answers (${status}) in ${Math.ceil(tookMs)} ms${tls}.`;
    if (status >= 500) return warning(text, "The service failed: check its status.");
    if (status !== 404) return ok(text);
    return warning(text, "Check the path. Run with --issue to find out whether it issues tokens.");
  });

type GivenUrl = AuthUrl | UnresolvedUrl;

/** Schedules tolerate this difference by default. */
const TOLERATED_MS = 5 * 60_000;
/** A smaller difference may come from the network. */
const NOTICED_MS = 60_000;

/**
 * The difference between the clocks of this machine and of the identity service: expiry times are
 * the service's.
 */
export const checkClock: Check = (context) =>
  ofEachAddress(context, ({ host }, reached) => {
    // The other check reports an unreachable service.
    const ahead = IamTokensError.is(reached) ? undefined : reached.clockAheadMs;
    if (ahead === undefined) return skipped(`${host} sends no Date header, or cannot be reached.`);
    const off = Math.abs(ahead);
    if (off <= NOTICED_MS)
      return ok(`The clocks of this machine and ${host} agree within a minute.`);
    return (off > TOLERATED_MS ? failure : warning)(
      `This machine's clock is ${formatDuration(off)} ${ahead < 0 ? "behind" : "ahead of"} that of ${host}.`,
      "Set the clock of this machine (NTP). Until then rotations come too late, too early or at each plan.",
    );
  });

/** The answer of each address, in the words of two checks. */
async function ofEachAddress(
  { services, now }: DoctorContext,
  toFinding: (url: URL, reached: Reached | IamTokensError) => Finding,
): Promise<readonly Finding[]> {
  const byUrl = new Map<string, { readonly service: Service; readonly authUrl: GivenUrl }>();
  for (const service of services) {
    const { authUrl, description } = service;
    // One with a description may have files for TLS.
    const address = authUrl && addressOf(authUrl);
    if (authUrl && address && (description || !byUrl.has(address)))
      byUrl.set(address, { service, authUrl });
  }
  if (byUrl.size === 0)
    return [skipped("No address is known: no stack gives one, and OS_AUTH_URL is not set.")];
  return Promise.all(
    [...byUrl.values()].map(async ({ authUrl, service }) => {
      try {
        const { at, reached } = await probe(authUrl, service, now);
        return toFinding(new URL(at), reached);
      } catch (error) {
        if (IamTokensError.is(error)) return toFinding(new URL(addressOf(authUrl)), error);
        throw error;
      }
    }),
  );
}

/**
 * @throws as the request; ERR_ADDRESS_NOT_ALLOWED, because none may go where secrets may not
 */
async function probe(
  authUrl: GivenUrl,
  { description, processContext }: Service,
  now: () => number,
) {
  assertAllowedAuthUrl(authUrl, processContext);
  const tls = description && (await readTlsFiles(description.files, processContext));
  const env = processContext.variables;
  const identity = createIdentityAccess(processContext);
  try {
    const { v3: at } = await resolved(authUrl, tls, identity, processContext);
    return { at, reached: await loadIdentity().probe(at, { env, now, tls }) };
  } finally {
    await identity.close();
  }
}
