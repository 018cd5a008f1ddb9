import type { Credential, TlsMaterial } from "../../identity";
import { readSecret } from "../secrets/read-secret";
import type { Surroundings } from "../surroundings";
import { assertAllowedAuthUrl } from "./allowed-auth-urls";
import type { CredentialDescription } from "./credential-description";
import { readTlsFiles } from "./tls-files";

/** What token issuing needs: the credential, and the files for TLS if there are any. */
export interface ReadCredential {
  readonly credential: Credential;
  readonly tls?: TlsMaterial;
}

/**
 * Reads what a description refers to. The address is checked against IAM_TOKENS_ALLOWED_AUTH_URLS
 * first.
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
    ...(tls === undefined ? {} : { tls }),
  };
}
