import { monotonicNow, Secret } from "../tokens";
import { serviceTime } from "./interpret/answer";
import { answerOf } from "./interpret/exchanged";
import { limitsOf } from "./limits";
import { HttpTransport, type HttpTransportOptions } from "./transport/http-transport";
import type { SendOptions } from "./transport/transport";

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
  { env, now, tls }: Pick<HttpTransportOptions, "env" | "now"> & Pick<SendOptions, "tls">,
): Promise<Reached> {
  const limits = limitsOf();
  const transport = new HttpTransport({ limits, env, now });
  const started = monotonicNow();
  const outcome = await transport.send(
    { method: "GET", url, headers: { accept: "application/json" } },
    { signal: new AbortController().signal, tls, timeoutMs: limits.requestMs },
  );
  const answer = answerOf({ outcome, url, secret: Secret.of(""), limits, attempts: "" });
  const theirs = serviceTime(answer);
  return {
    status: answer.status,
    tookMs: monotonicNow() - started,
    clockAheadMs: theirs === undefined ? undefined : answer.receivedAt - theirs,
  };
}
