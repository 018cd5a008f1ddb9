import { generateKeyPairSync } from "node:crypto";
import { signCertificate, toPem } from "./x509";

/** A key and its certificate, for one process. */
export interface ServerIdentity {
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly certificateDer: Uint8Array;
}

/** Makes a P-256 key and a self-signed certificate for `localhost`. */
export function createServerIdentity(): ServerIdentity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const certificateDer = signCertificate({
    subject: "localhost",
    issuer: "localhost",
    publicKey,
    signingKey: privateKey,
    // Practically without an end: the key lives in the memory of one process, and its certificate
    // is passed to one client, who trusts only this one. Dates from the clock would only cause
    // failures on machines with a wrong clock.
    notBefore: new Date(0),
    notAfter: new Date("9999-12-31T23:59:59Z"),
    authority: true,
    usages: ["server", "client"],
    hosts: ["localhost"],
  });
  return {
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificatePem: toPem(certificateDer),
    certificateDer,
  };
}
