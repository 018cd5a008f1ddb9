import { createPrivateKey, X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import type { Credential, TlsMaterial } from "../../identity";
import { defined, escaped, IamTokensError, Secret } from "../../tokens";
import type { ProcessContext } from "../process/process-context";
import { readNamedFile } from "../secrets/read-secret";
import type { SecretReader } from "../secrets/secret-reader";
import type { Reading, SecretReference } from "../secrets/secret-reference";
import { assertAllowedAuthUrl } from "./allowed-auth-urls";
import type { CredentialDescription, FileReference, TlsFiles } from "./credential-description";

/** Inputs of token issuing: the credential, and the files for TLS, if any. */
export interface ReadCredential {
  readonly credential: Credential;
  readonly tls?: TlsMaterial;
}

/**
 * Reads the secret and the files of a description, after a check that its address is allowed. An
 * identity token is only read when somebody signs in with it.
 *
 * @throws ERR_ADDRESS_NOT_ALLOWED, ERR_ADDRESS_INVALID, ERR_CERTIFICATE_INVALID and the codes of
 * {@link SecretReader.read}
 */
export async function readCredential(
  description: CredentialDescription,
  processContext: ProcessContext,
  reader: SecretReader,
  reading: Reading,
): Promise<ReadCredential> {
  const { source, project, warning, caFile, clientCertificate, secret, ...who } = description;
  assertAllowedAuthUrl(who.authUrl, processContext);
  const tls = await readTlsFiles(description, processContext);
  const read = (signal: AbortSignal) =>
    reader.read(secret, { ...reading, signal }, who.way === "identity token");
  const credential: Credential =
    who.way === "identity token"
      ? {
          ...who,
          place: placeOf(secret, processContext.workingFolder),
          origin: secret.origin,
          readToken: read,
        }
      : { ...who, secret: await read(reading.signal) };
  return { credential, ...defined({ tls }) };
}

/** Two credentials with the same place are the same. */
function placeOf(secret: SecretReference, workingFolder: string): string | Secret {
  switch (secret.kind) {
    case "value":
      return secret.value;
    case "env":
      return `env ${secret.name}`;
    case "file":
      return `file ${resolve(workingFolder, secret.path)}`;
    case "command":
      return `command ${JSON.stringify(secret.command)}`;
    case "audience":
      return `audience ${secret.audience}`;
  }
}

const INVALID = "ERR_CERTIFICATE_INVALID";
const CODES = { missing: INVALID, unreadable: INVALID, "too large": INVALID } as const;

/** Reads CA file, client certificate and key, and checks them. @throws ERR_CERTIFICATE_INVALID */
export async function readTlsFiles(
  { caFile, clientCertificate }: TlsFiles,
  processContext: ProcessContext,
): Promise<TlsMaterial | undefined> {
  // Latin-1 takes every byte: a PEM file may have comments in any encoding.
  const read = async (file: FileReference): Promise<string> =>
    (await readNamedFile(file.path, file.origin, processContext, CODES)).toString("latin1");
  const readCertificates = async (file: FileReference): Promise<string> => {
    const pem = await read(file);
    parseCertificate(pem, file);
    return pem;
  };
  const ca = caFile && (await readCertificates(caFile));
  if (clientCertificate === undefined) return ca === undefined ? undefined : { ca };
  const cert = await read(clientCertificate.cert);
  const key = Secret.of(await read(clientCertificate.key));
  assertPair(cert, key, clientCertificate);
  return { ...defined({ ca }), cert, key };
}

// OpenSSL's own errors are not passed on: its input was a key.
function assertPair(
  cert: string,
  key: Secret,
  { cert: certFile, key: keyFile }: { cert: FileReference; key: FileReference },
): void {
  const certificate = parseCertificate(cert, certFile);
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(key.reveal())) {
    throw invalid(keyFile, "is encrypted; there is no argument for a passphrase");
  }
  let matches: boolean;
  try {
    matches = certificate.checkPrivateKey(createPrivateKey(key.reveal()));
  } catch {
    throw invalid(keyFile, "has no private key in PEM form");
  }
  if (!matches)
    throw invalid(keyFile, `is not the key of the certificate in ${escaped(certFile.path)}`);
}

function parseCertificate(pem: string, file: FileReference): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw invalid(file, "has no certificate in PEM form");
  }
}

function invalid(file: FileReference, why: string): IamTokensError {
  return new IamTokensError(INVALID, `The file ${escaped(file.path)} (${file.origin}) ${why}.`);
}
