import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { IamTokensError, Secret } from "../../tokens";
import {
  type ClientCertificate,
  type FaultyCertificates,
  makeThrowAwayCertificate,
} from "../certificates/throw-away-certificate";
import type { IdentitySettings } from "./settings";

/** Certificate, key and what a client is to trust. */
export interface ServerTls {
  readonly certificate: string;
  readonly key: Secret;
  readonly ca: string;
  /** With a throw-away certificate only. */
  readonly faulty?: FaultyCertificates;
  /** Clients must show a certificate of this CA. */
  readonly clientCa?: string;
  /** With throw-away client certificates: one that gets in. */
  readonly client?: ClientCertificate;
}

/** The certificate of a configuration, made when it says so. */
export function toServerTls({
  tls,
  host,
  clientCertificates,
}: IdentitySettings): ServerTls | undefined {
  if (tls === undefined) return undefined;
  const clientCa =
    typeof clientCertificates === "object" ? { clientCa: clientCertificates.ca } : {};
  if (tls !== "throw-away")
    return {
      certificate: tls.certificate,
      key: tls.key,
      ca: tls.ca ?? tls.certificate,
      ...clientCa,
    };
  const { client, ...made } = makeThrowAwayCertificate(host);
  const own = clientCertificates === "throw-away" ? { clientCa: made.ca, client } : clientCa;
  return { ...made, key: Secret.of(made.key), ...own };
}

/** @throws ERR_TESTING_CONFIG_INVALID when certificate and key do not fit */
export function createFor(tls: ServerTls | undefined, listener: RequestListener): Server {
  if (tls === undefined) return createServer(listener);
  try {
    const clients =
      tls.clientCa === undefined
        ? {}
        : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true };
    return createTlsServer(
      { cert: tls.certificate, key: tls.key.reveal(), minVersion: "TLSv1.2", ...clients },
      listener,
    );
  } catch {
    // The cause is dropped: it may show the key.
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      "tls: certificate and key are not PEM texts that belong together, or the CA of clientCertificates is none.",
    );
  }
}

/** @throws ERR_LISTEN_FAILED */
export async function listen(server: Server, { host, port }: IdentitySettings): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "EADDRINUSE"
          ? "is in use"
          : `cannot be listened on (${error.code ?? "unknown error"})`;
      reject(new IamTokensError("ERR_LISTEN_FAILED", `Port ${port} of ${host} ${why}.`));
    });
    server.listen(port, host, () => resolve());
  });
  server.removeAllListeners("error");
  return server;
}
