import { Secret } from "../tokens";
import type { TlsMaterial } from "./credential";
import { serviceTime } from "./interpret/answer";
import { answerOf } from "./interpret/exchanged";
import { type Limits, limitsOf } from "./limits";
import { HttpTransport } from "./transport/http-transport";

/** Dependencies of a probe. */
export interface ProbeOptions {
  /** See IdentityClientOptions. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly tls?: TlsMaterial;
  readonly limits?: Partial<Limits>;
}

/** A service that answers. */
export interface Reached {
  readonly status: number;
  /** Milliseconds until the answer, including name, connection and TLS. */
  readonly tookMs: number;
  /**
   * How many milliseconds this machine's clock is ahead of the service's; undefined if the answer
   * has no time.
   */
  readonly clockAheadMs: number | undefined;
}

/**
 * Requests any answer from an address, without a credential: this checks names, proxies,
 * connections and certificates.
 *
 * @throws ERR_CONNECTION_FAILED, ERR_TLS_FAILED, ERR_NO_ANSWER, ERR_PROXY_REFUSED,
 * ERR_PROXY_INVALID, ERR_ANSWER_UNEXPECTED, ERR_CERTIFICATE_INVALID
 */
export async function probe(
  url: string,
  { env, now, tls, limits: given }: ProbeOptions,
): Promise<Reached> {
  const limits = limitsOf(given);
  const started = performance.now();
  const request = { method: "GET", url, headers: { accept: "application/json" } } as const;
  const outcome = await new HttpTransport({ limits, env, now }).send(request, {
    signal: new AbortController().signal,
    tls,
    timeoutMs: limits.requestMs,
  });
  const answer = answerOf({ outcome, url, secret: Secret.of(""), limits, attempts: "" });
  const theirs = serviceTime(answer);
  return {
    status: answer.status,
    tookMs: performance.now() - started,
    clockAheadMs: theirs === undefined ? undefined : answer.receivedAt - theirs,
  };
}
