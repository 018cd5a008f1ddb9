import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import * as tls from "node:tls";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { IamTokensError } from "../../tokens";
import type { TlsMaterial } from "../credential";

/** Certificates that are trusted in addition, from a file of the user's environment. */
export interface ExtraCertificates {
  readonly pem: readonly string[];
  /**
   * Why there are none although a file was named, for the message of a connection that then fails.
   */
  readonly note?: string;
}

const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]+?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * Reads the file of IAM_TOKENS_EXTRA_CA_CERTS. One that cannot be read is a note and not an error:
 * it stands for NODE_EXTRA_CA_CERTS, where Node.js only warns, and most of those who have it do not
 * need it here.
 */
export function readExtraCertificates(file: string | undefined): ExtraCertificates {
  if (file === undefined || file === "") return { pem: [] };
  try {
    // A pipe or a device could block for ever, or never end.
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return { pem: [], note: unusable(file) };
    const pem = readFileSync(file, "utf8").match(CERTIFICATE) ?? [];
    return pem.length === 0 ? { pem, note: unusable(file) } : { pem };
  } catch {
    return { pem: [], note: unusable(file) };
  }
}

const unusable = (file: string) =>
  `The file ${JSON.stringify(file)} of IAM_TOKENS_EXTRA_CA_CERTS has no certificates that can be read.`;

/**
 * What a TLS connection trusts and shows. Made once for all connections: the public CAs take long
 * to load. A given CA replaces the public ones; the extra certificates are added to either.
 *
 * @throws ERR_CERTIFICATE_INVALID
 */
export function tlsContext(material: TlsMaterial, extra: ExtraCertificates): SecureContext {
  const given = material.ca === undefined ? undefined : certificatesOf(material.ca, "CA file");
  if (material.cert !== undefined) certificatesOf(material.cert, "client certificate");
  if ((material.cert === undefined) !== (material.key === undefined)) {
    throw new IamTokensError(
      "ERR_CERTIFICATE_INVALID",
      "A client certificate and its key belong together; one of them is missing.",
    );
  }
  // The default is left to Node.js when nothing is added: it then needs not parse the public CAs
  // one by one.
  const ca =
    given === undefined
      ? extra.pem.length === 0
        ? undefined
        : [...publicCertificates(), ...extra.pem]
      : [...given, ...extra.pem];
  try {
    return createSecureContext({
      minVersion: "TLSv1.2",
      ...(ca === undefined ? {} : { ca }),
      ...(material.cert === undefined ? {} : { cert: material.cert }),
      ...(material.key === undefined ? {} : { key: material.key.reveal() }),
    });
  } catch {
    // The cause is dropped: what OpenSSL says of a key is not needed, and not known to be harmless.
    throw new IamTokensError(
      "ERR_CERTIFICATE_INVALID",
      "The client certificate and its key do not fit together, or the key cannot be read.",
      {
        allowed: "PEM, the key without a passphrase",
      },
    );
  }
}

function certificatesOf(pem: string, what: string): string[] {
  const refuse = (problem: string): never => {
    throw new IamTokensError("ERR_CERTIFICATE_INVALID", `The ${what} ${problem}.`, {
      allowed: "certificates as PEM",
    });
  };
  const found = pem.match(CERTIFICATE) ?? refuse("has no certificate");
  for (const [index, certificate] of found.entries()) {
    try {
      new X509Certificate(certificate);
    } catch {
      refuse(`has a certificate that cannot be read (number ${index + 1})`);
    }
  }
  return found;
}

/**
 * What Node.js trusts by default: newer versions can be asked, and then count in what the user
 * configured for them.
 */
function publicCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: "default") => string[] };
  return getCACertificates?.("default") ?? rootCertificates;
}
