import { generateKeyPairSync } from "node:crypto";
import { signCertificate, toPem } from "./x509";

/** A key and the certificate that names it, for one process. */
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
    // As good as for ever: the key lives in the memory of one process and its certificate is handed
    // to one client, who trusts exactly it. Dates from the clock would add nothing but failures on
    // machines whose clock is wrong.
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
