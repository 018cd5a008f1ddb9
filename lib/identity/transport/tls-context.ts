import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import * as tls from "node:tls";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { escaped, IamTokensError } from "../../tokens";
import type { TlsMaterial } from "../credential";

/** Additional trusted certificates, from a file that the user's environment names. */
export interface ExtraCertificates {
  readonly pem: readonly string[];
  /**
   * Why there are none although the environment names a file, for the message of a failed
   * connection.
   */
  readonly note?: string;
}

const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * Reads the file of IAM_TOKENS_EXTRA_CA_CERTS. If it cannot be read, this is a note instead of an
 * error: the variable replaces NODE_EXTRA_CA_CERTS, for which Node.js only warns, and most users of
 * that one do not need it here.
 */
export function readExtraCertificates(file: string | undefined): ExtraCertificates {
  if (file === undefined || file === "") return { pem: [] };
  try {
    // A pipe or a device could block forever, or never end.
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return { pem: [], note: unusable(file) };
    const pem = readFileSync(file, "utf8").match(CERTIFICATE) ?? [];
    return pem.length === 0 ? { pem, note: unusable(file) } : { pem };
  } catch {
    return { pem: [], note: unusable(file) };
  }
}

const unusable = (file: string) =>
  `The file ${escaped(file)} of IAM_TOKENS_EXTRA_CA_CERTS has no readable certificates.`;

/**
 * Trust and client certificate of a TLS connection. Made once for all connections: the public CAs
 * take long to load. A given CA replaces the public ones; the extra certificates are added to
 * either.
 *
 * @throws ERR_CERTIFICATE_INVALID
 */
export function tlsContext(material: TlsMaterial, extra: ExtraCertificates): SecureContext {
  const given = material.ca === undefined ? undefined : certificatesOf(material.ca, "CA file");
  if (material.cert !== undefined) certificatesOf(material.cert, "client certificate");
  if ((material.cert === undefined) !== (material.key === undefined)) {
    throw new IamTokensError(
      "ERR_CERTIFICATE_INVALID",
      "Client certificate and key must be given together; one of them is missing.",
    );
  }
  // Without additions, Node.js keeps its default and need not parse the public CAs one by one.
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
    // The cause is dropped: OpenSSL's message about a key is not needed, and may not be harmless.
    throw new IamTokensError(
      "ERR_CERTIFICATE_INVALID",
      "The client certificate and its key do not match, or the key cannot be read.",
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
 * The certificates that Node.js trusts by default; newer versions report them, including the user's
 * configuration.
 */
function publicCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: "default") => string[] };
  return getCACertificates?.("default") ?? rootCertificates;
}
