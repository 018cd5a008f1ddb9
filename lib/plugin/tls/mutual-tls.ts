import { X509Certificate } from "node:crypto";
import http2, { type Http2Server, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { ServerIdentity } from "./server-identity";

/** Mutual TLS with known clients: our own key and certificate. */
export interface MutualTls extends Pick<ServerIdentity, "keyPem" | "certificatePem"> {
  /** Whether a client with this certificate (DER) is accepted. */
  isClient(certificate: Uint8Array): boolean;
}

/**
 * A server over TLS that requests a certificate and accepts any: the caller must check that of each
 * session ({@link certificateOf}).
 *
 * Why not a list of authorities: with one, or with no setting at all, Node.js first reads the 140
 * authorities of the web, which costs 20 ms at every launch. An empty list avoids that. Authorities
 * would add nothing: the accepted certificates are known byte by byte, and TLS itself proves that
 * the peer has the key.
 */
export function createTlsServer({ keyPem: key, certificatePem: cert }: MutualTls): Http2Server {
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

/** The certificate, in DER, whose key the peer of a session provably has. */
export function certificateOf(session: ServerHttp2Session): Uint8Array | undefined {
  return (session.socket as TLSSocket).getPeerX509Certificate()?.raw;
}

/**
 * For one client alone, with its certificate in PEM. Throws if that is not a certificate.
 */
export function onlyClient(certificatePem: string): MutualTls["isClient"] {
  const expected = new X509Certificate(certificatePem).raw;
  return (certificate) => expected.equals(certificate);
}
