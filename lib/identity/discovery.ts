import { type AuthUrl, parseSharedAuthUrl } from "../tokens";
import { RecentMap } from "./cache/recent-map";
import type { TlsMaterial } from "./credential";
import { jsonOf, membersOf } from "./interpret/answer";
import { isWithin, SILENCE_MS } from "./limits";
import { JSON_ANSWER } from "./requests";
import { isPassing } from "./retry/policy";
import type { Sender } from "./retry/sender";
import type { FaultKind, Outcome, WireRequest } from "./transport/transport";
import { Flights } from "./waiting/flights";

/** A question for the version of a service, which is asked as OpenStack's own library does. */
export interface DiscoveryRequest {
  readonly authUrl: AuthUrl;
  readonly tls?: TlsMaterial | undefined;
}

interface Found {
  readonly authUrl: AuthUrl;
  readonly at: number;
  readonly keptMs: number;
}

/** Asks services for their versions, once each. */
export class Discovery {
  /** By the address without a version. */
  readonly #known: RecentMap<Found>;
  readonly #flights = new Flights<AuthUrl>();

  constructor(private readonly sender: Sender) {
    this.#known = new RecentMap(sender.tools.limits.cacheEntries);
  }

  /**
   * The address of the service's v3, as it answers; a guess where it does not answer in the time
   * for a connection.
   *
   * @throws ERR_CANCELLED, ERR_CERTIFICATE_INVALID, ERR_PROXY_INVALID
   */
  async find({ authUrl, tls }: DiscoveryRequest, signal: AbortSignal): Promise<AuthUrl> {
    const { limits, now } = this.sender.tools;
    const key = String(authUrl.asked);
    const known = this.#known.get(key);
    if (known !== undefined && isWithin(known.keptMs, known.at, now())) return known.authUrl;
    const ask = async (shared: AbortSignal) => {
      const requestMs = Math.min(limits.connectMs, limits.requestMs);
      const how = { tls, retryForMs: 0, requestMs };
      const { outcome } = await this.sender.send(versionsRequest(authUrl), how, shared);
      const found = interpretVersions(outcome, authUrl);
      this.#known.set(key, { authUrl: found, at: now(), keptMs: keptMsOf(outcome) });
      return found;
    };
    return this.#flights.join(key, ask, signal);
  }
}

/**
 * An answer is kept for good; a silence for some time, because the next request would wait as long.
 * Other failures come fast, and are not kept.
 */
function keptMsOf(outcome: Outcome): number {
  if (outcome.kind === "answer") return isPassing(outcome) ? 0 : Number.POSITIVE_INFINITY;
  return SILENT.includes(outcome.fault) ? SILENCE_MS : 0;
}

const SILENT: readonly FaultKind[] = ["connect_timeout", "no_answer"];

/** Without a secret. With a slash, because Keystone redirects to it, and we follow no redirect. */
const versionsRequest = ({ asked }: AuthUrl): WireRequest => ({
  method: "GET",
  url: `${asked}/`,
  headers: JSON_ANSWER,
  bodyOf: LISTS,
});

const LISTS = [200, 300];

/**
 * The address that the service's own list of versions has for v3, at the same scheme, host and
 * port; otherwise the guess. Of a list, nothing else is read.
 */
export function interpretVersions(outcome: Outcome, guess: AuthUrl): AuthUrl {
  if (outcome.kind === "fault" || !LISTS.includes(outcome.status)) return guess;
  const { version, versions } = membersOf(jsonOf(outcome));
  const values = Array.isArray(versions) ? versions : membersOf(versions).values;
  const listed: unknown[] = [version, values].flat();
  const links = listed.flatMap((each) => {
    const { id, links } = membersOf(each);
    return typeof id === "string" && /^v3(\.|$)/.test(id) ? links : [];
  });
  const link = links.find((each) => membersOf(each).rel === "self");
  return atSameOrigin(membersOf(link).href, guess) ?? guess;
}

function atSameOrigin(href: unknown, { v3, asked }: AuthUrl): AuthUrl | undefined {
  // Anything else: URL would convert it to a string, which can throw or recurse too deep.
  if (typeof href !== "string") return undefined;
  try {
    const url = new URL(href, `${asked}/`);
    const found = parseSharedAuthUrl(url.href);
    const isSame = url.origin === new URL(v3).origin && found.asked === undefined;
    return isSame ? found : undefined;
  } catch {
    return undefined;
  }
}
