import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import * as tls from "node:tls";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { defined, escaped, IamTokensError } from "../../tokens";
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

const PLAIN_NAMES = { ca: "The CA file", cert: "The client certificate with its key" };

/**
 * Trust and client certificate of a TLS connection. A given CA replaces the public ones; the extra
 * certificates are added to either.
 *
 * @param names of the files, for messages
 * @throws ERR_CERTIFICATE_INVALID
 */
export function tlsContext(
  { ca, cert, key }: TlsMaterial,
  extra: ExtraCertificates = { pem: [] },
  names = PLAIN_NAMES,
): SecureContext {
  const given = ca === undefined ? undefined : usable(names.ca, () => certificatesIn(ca));
  // Without additions, Node.js keeps its default and need not parse the public CAs one by one.
  const added = extra.pem.length === 0 ? undefined : [...publicCertificates(), ...extra.pem];
  const trusted = given === undefined ? added : [...given, ...extra.pem];
  return usable(names.cert, () => {
    if ((cert === undefined) !== (key === undefined)) throw new Error("One of them is missing.");
    const material = defined({ ca: trusted, cert, key: key?.reveal() });
    return createSecureContext({ minVersion: "TLSv1.2", ...material });
  });
}

/** The cause is dropped: OpenSSL's message about a key is not needed, and may not be harmless. */
function usable<Value>(what: string, make: () => Value): Value {
  try {
    return make();
  } catch {
    throw new IamTokensError(
      "ERR_CERTIFICATE_INVALID",
      `${what} cannot be read, or is not whole.`,
      {
        allowed: "PEM; the key of the certificate, without a passphrase",
      },
    );
  }
}

function certificatesIn(pem: string): string[] {
  const found = pem.match(CERTIFICATE) ?? [""];
  for (const certificate of found) new X509Certificate(certificate);
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
