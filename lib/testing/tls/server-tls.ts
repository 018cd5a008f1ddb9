import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { defined, IamTokensError, Secret } from "../../tokens";
import type { IdentitySettings } from "../config/settings";
import {
  type ClientCertificate,
  type FaultyCertificates,
  makeThrowAwayCertificate,
} from "./throw-away-certificate";

/** Certificate and key, with the CA that a client must trust. */
export interface ServerTls {
  readonly certificate: string;
  readonly key: Secret;
  readonly ca: string;
  /** Only with a throw-away certificate. */
  readonly faulty?: FaultyCertificates;
  /** Clients must have a certificate of this CA. */
  readonly clientCa?: string;
  /** With throw-away client certificates: one that the server accepts. */
  readonly client?: ClientCertificate;
}

/** The certificate of a configuration, made here if it requests that. */
export function toServerTls(settings: IdentitySettings): ServerTls | undefined {
  const { tls, host, clientCertificates } = settings;
  if (tls === undefined) return undefined;
  const clientCa = typeof clientCertificates === "object" ? clientCertificates.ca : undefined;
  if (tls !== "throw-away") {
    const { certificate, key, ca = certificate } = tls;
    return { certificate, key, ca, ...defined({ clientCa }) };
  }
  const { client, ...made } = makeThrowAwayCertificate(host);
  const key = Secret.of(made.key);
  if (clientCertificates === "throw-away") return { ...made, key, clientCa: made.ca, client };
  return { ...made, key, ...defined({ clientCa }) };
}

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
