import { type AuthUrl, defined, IamTokensError, parseSharedAuthUrl } from "../tokens";
import type { TlsMaterial } from "./credential";
import { jsonOf } from "./interpret/answer";
import { JSON_ANSWER } from "./requests";
import type { ExchangeRequest } from "./retry/exchange";
import type { Outcome } from "./transport/transport";

/** A question for the version of a service, which is asked as OpenStack's own library does. */
export interface DiscoveryRequest {
  readonly authUrl: AuthUrl;
  readonly tls?: TlsMaterial;
}

/**
 * The request for the versions at an address: without a secret, one try. With a slash, as Keystone
 * redirects to it, and no redirect is followed.
 */
export function versionsRequest({ authUrl, tls }: DiscoveryRequest): ExchangeRequest {
  return {
    request: { method: "GET", url: `${authUrl.asked}/`, headers: JSON_ANSWER },
    wantsBody: isList,
    retryForMs: 0,
    ...defined({ tls }),
  };
}

const isList = (status: number) => status === 200 || status === 300;

/**
 * The address that the service's own list of versions has for v3, at the same scheme, host and port;
 * otherwise the guess. Of a list, nothing else is read.
 */
export function interpretVersions(outcome: Outcome, guess: AuthUrl): AuthUrl {
  if (outcome.kind === "fault" || !isList(outcome.status)) return guess;
  const { version, versions } = Object(jsonOf(outcome));
  const values = Array.isArray(versions) ? versions : Object(versions).values;
  const listed: unknown[] = [version, values].flat();
  const links = listed.flatMap((each) => {
    const { id, links }: Readonly<Record<string, unknown>> = Object(each);
    return typeof id === "string" && /^v3(\.|$)/.test(id) ? links : [];
  });
  const link = links.find((each) => Object(each).rel === "self");
  return atSameOrigin(Object(link).href, guess) ?? guess;
}

function atSameOrigin(href: unknown, { v3, asked }: AuthUrl): AuthUrl | undefined {
  // What is no string may have no form as one, or one that is too deep.
  if (typeof href !== "string") return undefined;
  try {
    const url = new URL(href, `${asked}/`);
    const found = parseSharedAuthUrl(url.href);
    const isSame = url.origin === new URL(v3).origin && found.asked === undefined;
    return isSame ? found : undefined;
  } catch (error) {
    if (IamTokensError.is(error) || error instanceof TypeError) return undefined;
    throw error;
  }
}
