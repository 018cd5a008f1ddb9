import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServerIdentity } from "../../plugin/tls/server-identity";
import { defined, IamTokensError, Secret } from "../../tokens";
import type { IdentitySettings } from "../config/settings";

/** Certificate and key of a client, as PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Certificate and key, with the CA that a client must trust. */
export interface ServerTls {
  readonly certificate: string;
  readonly key: Secret;
  readonly ca: string;
  /** Made for this start: for `localhost` alone. */
  readonly isThrowAway: boolean;
  /** Clients must have a certificate of this CA. */
  readonly clientCa?: string;
  /** With throw-away client certificates: one that the server accepts. */
  readonly client?: ClientCertificate;
}

/** The certificate of a configuration, made here, for `localhost`, if it requests that. */
export function toServerTls(settings: IdentitySettings): ServerTls | undefined {
  const { tls, clientCertificates } = settings;
  if (tls === undefined) return undefined;
  const client = clientCertificates === "throw-away" ? throwAway() : undefined;
  const clientCa = client?.certificate ?? (clientCertificates as { ca: string } | undefined)?.ca;
  const {
    certificate,
    key,
    ca = certificate,
  } = tls === "throw-away" ? { ...secretly(throwAway()), ca: undefined } : tls;
  return {
    certificate,
    key,
    ca,
    isThrowAway: tls === "throw-away",
    ...defined({ clientCa, client }),
  };
}

/** A certificate that is its own authority. */
function throwAway(): ClientCertificate {
  const { certificatePem: certificate, keyPem: key } = createServerIdentity();
  return { certificate, key };
}

const secretly = ({ certificate, key }: ClientCertificate) => ({
  certificate,
  key: Secret.of(key),
});

/** A long identity token is refused by the service, not by Node.js. */
const LIMITS = { maxHeaderSize: 65_536 };

/** @throws ERR_TESTING_CONFIG_INVALID if certificate and key do not match */
export function createFor(tls: ServerTls | undefined, listener: RequestListener): Server {
  if (tls === undefined) return createServer(LIMITS, listener);
  try {
    const clients =
      tls.clientCa === undefined
        ? {}
        : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true };
    return createTlsServer(
      {
        cert: tls.certificate,
        key: tls.key.reveal(),
        minVersion: "TLSv1.2",
        ...clients,
        ...LIMITS,
      },
      listener,
    );
  } catch {
    // The cause is dropped: it may contain the key.
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      "tls: certificate and key are not a matching pair in PEM form, or the CA in clientCertificates is not a certificate.",
    );
  }
}
