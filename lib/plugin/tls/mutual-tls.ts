import { X509Certificate } from "node:crypto";
import http2, { type Http2Server, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";

/** Mutual TLS with clients that are known: our own key and certificate in PEM. */
export interface MutualTls {
  readonly key: string;
  readonly cert: string;
  /** Tells whether a client with this certificate (DER) may come. */
  isClient(certificate: Uint8Array): boolean;
}

/**
 * A server over TLS that asks for a certificate and judges none: that of each session must be
 * looked at ({@link certificateOf}).
 *
 * Why not by a list of authorities: with one, or with none at all, Node.js first reads the 140
 * authorities of the web, which costs 20 ms at every launch. An empty list avoids that. And there
 * is nothing that an authority could say here: the certificates that may come are known byte by
 * byte, and TLS itself proves that the peer holds the key.
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

/** The certificate, in DER, whose key the peer of a session has proven to hold. */
export function certificateOf(session: ServerHttp2Session): Uint8Array | undefined {
  return (session.socket as TLSSocket).getPeerX509Certificate()?.raw;
}

/** For one client alone, whose certificate is given in PEM. Throws when that is no certificate. */
export function onlyClient(certificatePem: string): MutualTls["isClient"] {
  const expected = new X509Certificate(certificatePem).raw;
  return (certificate) => expected.equals(certificate);
}
