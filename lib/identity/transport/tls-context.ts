import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import * as tls from "node:tls";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { defined, IamTokensError, quote, type Text, words } from "../../tokens";
import type { TlsMaterial } from "../credential";

/** Additional trusted certificates, by the user's environment. */
export interface ExtraCertificates {
  /** For each connection. */
  readonly pem: readonly string[];
  /** Only in addition to the public ones: with a given CA, they would trust those again. */
  readonly publicPem: readonly string[];
  /** Settings that give none, for the message of a failed connection. */
  readonly notes: readonly string[];
}

const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The certificates that the environment adds: of NODE_EXTRA_CA_CERTS, which the launcher passes on
 * under another name; of SSL_CERT_FILE, as for programs in Go; and of the operating system. The
 * same for the provider and for commands, whatever Node.js itself has read.
 *
 * Where there are none, this is a note instead of an error: Node.js only warns, and most users of
 * these settings do not need them here.
 */
export function readExtraCertificates(env: Variables): ExtraCertificates {
  const notes: string[] = [];
  const read = (setting: string, file = "") => {
    const text = file === "" ? "" : textOf(file);
    const pem = text.match(CERTIFICATE) ?? [];
    if (file !== "" && pem.length === 0)
      notes.push(`The file ${quote(file, "path")} of ${setting} has no readable PEM certificates.`);
    return pem;
  };
  const pem = read("NODE_EXTRA_CA_CERTS", env.IAM_TOKENS_EXTRA_CA_CERTS);
  const shared = read("SSL_CERT_FILE", env.SSL_CERT_FILE);
  const system = env.NODE_USE_SYSTEM_CA === "1" ? certificatesOf("system") : [];
  if (system === undefined) notes.push(NO_SYSTEM_CA);
  return { pem, publicPem: [...shared, ...(system ?? [])], notes };
}

const NO_SYSTEM_CA =
  "NODE_USE_SYSTEM_CA (--use-system-ca) has no effect: this Node.js is older than 22.15.";

/** "" if it cannot be read. */
function textOf(file: string): string {
  try {
    // A pipe or a device could block forever, or never end.
    const stat = statSync(file);
    return stat.isFile() && stat.size <= MAX_FILE_BYTES ? readFileSync(file, "latin1") : "";
  } catch {
    return "";
  }
}

/** The files' names in messages. */
type Names = Readonly<Record<"ca" | "cert", Text>>;

const PLAIN_NAMES: Names = { ca: "The CA file", cert: "The client certificate with its key" };

/**
 * Trust and client certificate of a TLS connection. A given CA replaces the public ones; the extra
 * certificates are added to either.
 *
 * @param names of the files, for messages
 * @throws ERR_CERTIFICATE_INVALID
 */
export function tlsContext(
  { ca, cert, key }: TlsMaterial,
  extra: ExtraCertificates = { pem: [], publicPem: [], notes: [] },
  names: Names = PLAIN_NAMES,
): SecureContext {
  const given = ca === undefined ? undefined : usable(names.ca, () => certificatesIn(ca));
  // Without additions, Node.js keeps its default and need not parse the public CAs one by one.
  const more = [...extra.pem, ...extra.publicPem];
  const added = more.length === 0 ? undefined : [...publicCertificates(), ...more];
  const trusted = given === undefined ? added : [...given, ...extra.pem];
  return usable(names.cert, () => {
    if ((cert === undefined) !== (key === undefined)) throw new Error("One of them is missing.");
    const material = defined({ ca: trusted, cert, key: key?.reveal() });
    // Each given certificate ends a chain, also an intermediate one or the service's own, as for
    // programs in Go. Without given ones, Node.js would parse the public CAs again for it.
    const partial = trusted === undefined ? {} : { allowPartialTrustChain: true };
    return createSecureContext({ minVersion: "TLSv1.2", ...material, ...partial });
  });
}

/** The cause is dropped: OpenSSL's message about a key is not needed, and may not be harmless. */
function usable<Value>(what: Text, make: () => Value): Value {
  try {
    return make();
  } catch {
    throw new IamTokensError(
      "ERR_CERTIFICATE_INVALID",
      words`${what} cannot be read, or is not whole.`,
      {
        allowed:
          "PEM (openssl x509, pkcs7, pkcs12 or pkey make it of other forms); the key of the certificate, without a passphrase",
      },
    );
  }
}

function certificatesIn(pem: string): string[] {
  const found = pem.match(CERTIFICATE) ?? [""];
  for (const certificate of found) new X509Certificate(certificate);
  return found;
}

/** The CAs that Node.js trusts by default; with a newer one, the user's configuration included. */
const publicCertificates = (): readonly string[] => certificatesOf("default") ?? rootCertificates;

/** Undefined with a Node.js that does not report them. */
function certificatesOf(kind: "default" | "system"): readonly string[] | undefined {
  return (tls as { getCACertificates?: (of: typeof kind) => string[] }).getCACertificates?.(kind);
}
