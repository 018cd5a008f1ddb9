import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { type CertificateContents, signCertificate, toPem } from "../../plugin/tls/x509";

/** A certificate that only those trust who get its CA. PEM strings. */
interface ThrowAwayCertificate {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** For a client, from the same CA. */
  readonly client: ClientCertificate;
  /** Certificates of the same CA and key that every client must refuse: for faults. */
  readonly faulty: FaultyCertificates;
}

/** Certificate and key of a client, as PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Faulty certificates, by their fault. */
export interface FaultyCertificates {
  readonly expired: string;
  readonly not_yet_valid: string;
  readonly wrong_name: string;
}

const CA = "Throw-away test CA";

/**
 * Makes a CA and a server certificate for 127.0.0.1, localhost and the given host, valid for a day.
 *
 * The CA's key is discarded at once. The machine's clock counts here, never an injected one,
 * because clients use it for their check.
 */
export function makeThrowAwayCertificate(host = "localhost"): ThrowAwayCertificate {
  const authority = newKeys();
  const server = newKeys();
  const client = newKeys();
  const issue = (
    contents: Pick<CertificateContents, "subject" | "publicKey"> & Partial<CertificateContents>,
  ) =>
    toPem(
      signCertificate({
        issuer: CA,
        signingKey: authority.privateKey,
        notBefore: hoursFromNow(-1),
        notAfter: hoursFromNow(24),
        ...contents,
      }),
    );
  const own = ["localhost", "127.0.0.1", "::1", ...(host.includes(":") ? [] : [host])];
  const issueServer = (changed: Partial<CertificateContents> = {}) =>
    issue({
      subject: "Embedded identity service",
      publicKey: server.publicKey,
      usages: ["server"],
      hosts: [...new Set(own)],
      ...changed,
    });
  return {
    ca: issue({ subject: CA, publicKey: authority.publicKey, authority: true }),
    certificate: issueServer(),
    key: pemOf(server.privateKey),
    client: {
      certificate: issue({
        subject: "Throw-away test client",
        publicKey: client.publicKey,
        usages: ["client"],
      }),
      key: pemOf(client.privateKey),
    },
    faulty: {
      expired: issueServer({ notBefore: hoursFromNow(-48), notAfter: hoursFromNow(-24) }),
      not_yet_valid: issueServer({ notBefore: hoursFromNow(24), notAfter: hoursFromNow(48) }),
      wrong_name: issueServer({ hosts: ["elsewhere.invalid"] }),
    },
  };
}

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

const pemOf = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000);
