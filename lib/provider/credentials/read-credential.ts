import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Credential, TlsMaterial } from "../../identity";
import { defined, IamTokensError, Secret } from "../../tokens";
import type { Surroundings } from "../process/surroundings";
import { readNamedFile, readSecret } from "../secrets/read-secret";
import { assertAllowedAuthUrl } from "./allowed-auth-urls";
import type { CredentialDescription, FileReference } from "./credential-description";

/** What token issuing needs: the credential, and the files for TLS if there are any. */
interface ReadCredential {
  readonly credential: Credential;
  readonly tls?: TlsMaterial;
}

/**
 * Reads what a description refers to, once its address is found to be allowed.
 *
 * @throws ERR_ADDRESS_NOT_ALLOWED, ERR_ADDRESS_INVALID, ERR_CERTIFICATE_INVALID and the
 * ERR_SECRET_… codes
 */
export async function readCredential(
  description: CredentialDescription,
  surroundings: Surroundings,
): Promise<ReadCredential> {
  const { authUrl, accountId, userName } = description;
  assertAllowedAuthUrl(authUrl, surroundings);
  const tls = await readTlsFiles(description, surroundings);
  const password = await readSecret(description.password, surroundings);
  return {
    credential: { authUrl, accountId, userName, password },
    ...defined({ tls }),
  };
}

const INVALID = "ERR_CERTIFICATE_INVALID";
const CODES = { missing: INVALID, unreadable: INVALID, "too large": INVALID } as const;

/** Reads CA file, client certificate and key, and checks them. @throws ERR_CERTIFICATE_INVALID */
export async function readTlsFiles(
  description: CredentialDescription,
  surroundings: Surroundings,
): Promise<TlsMaterial | undefined> {
  const { caFile, clientCertificate } = description;
  if (caFile === undefined && clientCertificate === undefined) return undefined;
  // Latin-1 takes every byte: a PEM file may have comments in any encoding.
  const read = async (file: FileReference): Promise<string> =>
    (await readNamedFile(file.path, file.origin, surroundings, CODES)).toString("latin1");
  const ca = caFile === undefined ? undefined : await read(caFile);
  if (caFile !== undefined && ca !== undefined) parseCertificate(ca, caFile);
  if (clientCertificate === undefined) return ca === undefined ? undefined : { ca };
  const cert = await read(clientCertificate.cert);
  const key = Secret.of(await read(clientCertificate.key));
  assertPair(cert, key, clientCertificate);
  return { ...defined({ ca }), cert, key };
}

// OpenSSL's own errors are not handed on: what it was given was a key.
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
    throw invalid(keyFile, `is not the key of the certificate in ${JSON.stringify(certFile.path)}`);
}

function parseCertificate(pem: string, file: FileReference): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw invalid(file, "has no certificate in PEM form");
  }
}

function invalid(file: FileReference, why: string): IamTokensError {
  return new IamTokensError(
    INVALID,
    `The file ${JSON.stringify(file.path)} (${file.origin}) ${why}.`,
  );
}
