import {
  type AuthUrl,
  parseAuthUrl,
  parseSharedAuthUrl,
  parseUrl,
  type UnresolvedUrl,
} from "../tokens";
import { RecentMap } from "./cache/recent-map";
import type { TlsMaterial } from "./credential";
import { headerValues, jsonOf, membersOf } from "./interpret/answer";
import { isWithin, SILENCE_MS } from "./limits";
import { JSON_ANSWER } from "./requests";
import { isPassing } from "./retry/policy";
import type { Sender } from "./retry/sender";
import type { FaultKind, Outcome } from "./transport/transport";
import { Flights } from "./waiting/flights";

/** A question for the version of a service, which is asked as OpenStack's own library does. */
export interface DiscoveryRequest {
  readonly authUrl: UnresolvedUrl;
  readonly tls?: TlsMaterial | undefined;
}

interface Found {
  readonly authUrl: AuthUrl;
  readonly at: number;
  readonly keptMs: number;
}

/** Asks services for their versions, once each. */
export class Discovery {
  /** By the address without a version, and the certificates of the question. */
  readonly #known: RecentMap<Found>;
  readonly #flights = new Flights<AuthUrl>();

  constructor(
    private readonly sender: Sender,
    private readonly digest: (parts: readonly unknown[]) => string,
  ) {
    this.#known = new RecentMap(sender.tools.limits.cacheEntries);
  }

  /**
   * The address of the service's v3, as it answers; a guess where it does not answer in the time
   * for a connection.
   *
   * @throws ERR_CANCELLED, ERR_CERTIFICATE_INVALID, ERR_PROXY_INVALID
   */
  async find({ authUrl, tls = {} }: DiscoveryRequest, signal: AbortSignal): Promise<AuthUrl> {
    const { limits, now } = this.sender.tools;
    const { asked } = authUrl;
    const key = this.digest([asked, tls.ca, tls.cert, tls.key?.reveal()]);
    const known = this.#known.get(key);
    if (known !== undefined && isWithin(known.keptMs, known.at, now())) return known.authUrl;
    const ask = async (shared: AbortSignal) => {
      const how = { tls, retryForMs: 0, requestMs: Math.min(limits.connectMs, limits.requestMs) };
      // With a slash, because Keystone redirects to it.
      const first = await this.sender.send(versionsAt(`${asked}/`), how, shared);
      const elsewhere = redirectOf(first.outcome, asked);
      const { outcome } =
        elsewhere === undefined
          ? first
          : await this.sender.send(versionsAt(elsewhere), how, shared);
      const listed = interpretVersions(outcome, authUrl);
      const found = listed ?? { ...parseAuthUrl(asked), isGuess: true };
      const keptMs = listed === undefined ? keptMsOf(outcome) : Number.POSITIVE_INFINITY;
      this.#known.set(key, { authUrl: found, at: now(), keptMs });
      return found;
    };
    return this.#flights.join(key, ask, signal);
  }
}

/**
 * How long what is not a list is kept. The next question after a silence would wait as long; one
 * after another failure comes back fast.
 */
function keptMsOf(outcome: Outcome): number {
  const isFast = outcome.kind === "answer" ? isPassing(outcome) : !SILENT.includes(outcome.fault);
  return isFast ? 0 : SILENCE_MS;
}

const SILENT: readonly FaultKind[] = ["connect_timeout", "no_answer"];

/** Without a secret. */
const versionsAt = (url: string) => ({
  method: "GET" as const,
  url,
  headers: JSON_ANSWER,
  bodyOf: LISTS,
});

const LISTS = [200, 300];
const REDIRECTS = [301, 302, 303, 307, 308];

/** The place of a redirect within the same scheme, host and port: the question has no secret. */
function redirectOf(outcome: Outcome, asked: string): string | undefined {
  if (outcome.kind === "fault" || !REDIRECTS.includes(outcome.status)) return undefined;
  const [location = ""] = headerValues(outcome, "location");
  const url = parseUrl(location, `${asked}/`);
  const isHere = url?.origin === new URL(asked).origin && url.username + url.password === "";
  return isHere ? url.href : undefined;
}

/** The address that a service's own list of versions has for v3. Of a list, nothing else is read. */
export function interpretVersions(outcome: Outcome, { asked }: UnresolvedUrl): AuthUrl | undefined {
  if (outcome.kind === "fault" || !LISTS.includes(outcome.status)) return undefined;
  const { version, versions } = membersOf(jsonOf(outcome));
  const values = Array.isArray(versions) ? versions : membersOf(versions).values;
  const listed: unknown[] = [version, values].flat();
  const links = listed.flatMap((each) => {
    const { id, links } = membersOf(each);
    return typeof id === "string" && /^v3(\.|$)/.test(id) ? links : [];
  });
  const link = links.find((each) => membersOf(each).rel === "self");
  return atOwnOrigin(membersOf(link).href, asked);
}

/**
 * A link's path at the scheme, host and port that were asked: a service behind a proxy often lists
 * itself with another scheme. With another host or port, as keystoneauth, its last segment below
 * the path that was asked: the proxy may have removed a part of the path.
 */
function atOwnOrigin(href: unknown, asked: string): AuthUrl | undefined {
  // Anything else: URL would convert it to a string, which can throw or recurse too deep.
  const link = typeof href === "string" ? parseUrl(href, `${asked}/`) : undefined;
  if (link === undefined) return undefined;
  const { origin, host } = new URL(asked);
  const path = link.pathname.replace(/\/+$/, "");
  const own = link.host === host ? origin + path : asked + path.slice(path.lastIndexOf("/"));
  try {
    const found = parseSharedAuthUrl(own);
    return "v3" in found ? found : undefined;
  } catch {
    return undefined;
  }
}
