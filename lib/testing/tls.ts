import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServerIdentity } from "../plugin/tls/server-identity";
import { IamTokensError } from "../tokens";
import type { ClientCertificate } from "./config/identity-config";
import type { IdentitySettings } from "./config/settings";

/** The certificates of a service. */
export interface ServerTls extends ClientCertificate {
  /** What a client must trust. */
  readonly ca: string;
  /** Clients must have a certificate of this CA. */
  readonly clientCa: string | undefined;
  /** With throw-away client certificates: one that the server accepts. */
  readonly client: ClientCertificate | undefined;
}

/** The certificates of a configuration, made here, for this machine, if it requests that. */
export function toServerTls({ tls, clientCertificates }: IdentitySettings): ServerTls | undefined {
  if (tls === undefined) return undefined;
  const server = tls === "throw-away" ? throwAway() : tls;
  const client = clientCertificates === "throw-away" ? throwAway() : undefined;
  const clientCa = typeof clientCertificates === "object" ? clientCertificates.ca : undefined;
  return {
    ...server,
    ca: server.ca ?? server.certificate,
    clientCa: client?.certificate ?? clientCa,
    client,
  };
}

/** A certificate that is its own authority. */
function throwAway(): ClientCertificate & { readonly ca?: string } {
  const { certificatePem: certificate, keyPem: key } = createServerIdentity();
  return { certificate, key };
}

/** A long identity token is refused by the service, not by Node.js. */
const LIMITS = { maxHeaderSize: 65_536 };

/** @throws ERR_TESTING_CONFIG_INVALID if certificate and key do not match */
export function createFor(tls: ServerTls | undefined, listener: RequestListener): Server {
  if (tls === undefined) return createServer(LIMITS, listener);
  const { certificate: cert, key, clientCa: ca } = tls;
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true };
  try {
    return createTlsServer({ cert, key, minVersion: "TLSv1.2", ...clients, ...LIMITS }, listener);
  } catch {
    // The cause is dropped: it may contain the key.
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      "tls: certificate and key are not a matching pair in PEM form, or the CA in clientCertificates is not a certificate.",
    );
  }
}
