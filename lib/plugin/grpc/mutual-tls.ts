import { X509Certificate } from "node:crypto";
import http2, { type Http2Server, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";

/** Mutual TLS with exactly one peer: keys and certificates in PEM. */
export interface MutualTls {
  readonly key: string;
  readonly cert: string;
  /** The one certificate that a client may present. */
  readonly clientCertificate: string;
}

/**
 * A server over TLS that asks for a certificate and judges none: each session must pass {@link peerCheckOf}.
 *
 * Why not by a list of authorities: with one, or with none at all, Node.js first reads the 140 authorities of the web, which
 * costs 20 ms at every launch. An empty list avoids that. And there is nothing that an authority could say here: the one
 * certificate that may come is known byte by byte, and TLS itself proves that the peer holds its key.
 */
export function createTlsServer({ key, cert }: MutualTls): Http2Server {
  return http2.createSecureServer({
    key,
    cert,
    ca: [],
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["h2"],
  });
}

/** Tells whether the peer of a session is the one with the expected certificate. Throws when that is no certificate. */
export function peerCheckOf(tls: MutualTls): (session: ServerHttp2Session) => boolean {
  const expected = new X509Certificate(tls.clientCertificate).raw;
  return (session) => {
    const presented = (session.socket as TLSSocket).getPeerX509Certificate();
    return presented?.raw.equals(expected) ?? false;
  };
}
