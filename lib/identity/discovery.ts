import {
  type AuthUrl,
  cancelledError,
  parseAuthUrl,
  parseSharedAuthUrl,
  parseUrl,
  type UnresolvedUrl,
} from "../tokens";
import { Cache } from "./cache/cache";
import type { CredentialKeys } from "./cache/credential-key";
import type { TlsMaterial } from "./credential";
import { headerValues, jsonOf, membersOf } from "./interpret/answer";
import { SILENCE_MS } from "./limits";
import { JSON_ANSWER } from "./requests";
import { isPassing } from "./retry";
import type { Services } from "./service";
import type { Outcome } from "./transport/transport";

/** A question for the version of a service, which is asked as OpenStack's own library does. */
export interface DiscoveryRequest {
  readonly authUrl: UnresolvedUrl;
  readonly tls?: TlsMaterial | undefined;
}

interface Found {
  /** Undefined without a list of versions. */
  readonly authUrl: AuthUrl | undefined;
  /** Whether another question may have another answer at once. */
  readonly isPassing: boolean;
}

/** Asks services for their versions, once each. */
export class Discovery {
  /** By the address without a version, and the certificates of the question. */
  readonly #cache: Cache<Found>;

  constructor(
    private readonly services: Services,
    private readonly keys: CredentialKeys,
  ) {
    const { limits, clock } = services.tools;
    this.#cache = new Cache(limits.cacheEntries, clock);
  }

  /**
   * The address of the service's v3, as it answers; a guess where it does not answer in the time
   * for a connection. Only a list of versions is kept for good.
   *
   * @throws ERR_CANCELLED, ERR_CERTIFICATE_INVALID, ERR_PROXY_INVALID
   */
  async find({ authUrl: { asked }, tls }: DiscoveryRequest, signal: AbortSignal): Promise<AuthUrl> {
    const isGood = ({ authUrl, isPassing }: Found, ageMs: number) =>
      authUrl !== undefined || (!isPassing && ageMs < SILENCE_MS);
    const ask = (shared: AbortSignal) => this.#ask(asked, tls, shared);
    const { authUrl } = await this.#cache.get(this.keys.ofService(asked, tls), isGood, ask, signal);
    return authUrl ?? { ...parseAuthUrl(asked), isGuess: true };
  }

  async #ask(asked: string, tls: TlsMaterial | undefined, signal: AbortSignal): Promise<Found> {
    const { connectMs, requestMs } = this.services.tools.limits;
    const once = { retryForMs: 0, requestMs: Math.min(connectMs, requestMs) };
    const service = this.services.at(asked, tls);
    const get = async (url: string) => {
      const { outcome } = service.silence ?? (await service.ask(versionsAt(url), once, signal));
      if (signal.aborted) throw cancelledError();
      return outcome;
    };
    // With a slash, because Keystone redirects to it.
    const first = await get(`${asked}/`);
    const elsewhere = redirectOf(first, asked);
    const outcome = elsewhere === undefined ? first : await get(elsewhere);
    return { authUrl: interpretVersions(outcome, { asked }), isPassing: isPassing(outcome) };
  }
}

/** Without a secret. */
const versionsAt = (url: string) => ({
  method: "GET" as const,
  url,
  headers: JSON_ANSWER,
  bodyOf: LISTS,
});

const LISTS = [200, 300];
const REDIRECT = /^30[12378]$/;

/** The place of a redirect within the same scheme, host and port: the question has no secret. */
function redirectOf(outcome: Outcome, asked: string): string | undefined {
  if (outcome.kind === "fault" || !REDIRECT.test(`${outcome.status}`)) return undefined;
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
  let end = link.pathname.length;
  while (link.pathname[end - 1] === "/") end -= 1;
  const path = link.pathname.slice(0, end);
  const own = link.host === host ? origin + path : asked + path.slice(path.lastIndexOf("/"));
  try {
    const found = parseSharedAuthUrl(own);
    return "v3" in found ? found : undefined;
  } catch {
    return undefined;
  }
}
