import type { Credential } from "../../identity";
import type { ProcessContext } from "../process/process-context";
import type { SecretReader } from "../secrets/secret-reader";
import { identityOf, type Reading } from "../secrets/secret-reference";
import { type Service, serviceOf } from "./service";
import type { CredentialDescription } from "./source";

/** Inputs of token issuing: the credential, and the certificates, if any. */
export interface ReadCredential extends Pick<Service, "tls"> {
  readonly credential: Credential;
}

/**
 * Reads the secret and the files of a description, after the checks of its service. An identity
 * token is only read when somebody signs in with it.
 *
 * @throws the codes of {@link serviceOf} and of {@link SecretReader.read}
 */
export async function readCredential(
  description: CredentialDescription,
  context: ProcessContext,
  reader: SecretReader,
  reading: Reading,
): Promise<ReadCredential> {
  const { givenBy, project, files, references, secret, kind, ...more } = description;
  const { authUrl, tls } = await serviceOf(description, reader.identity, context, reading);
  const who = { ...more, authUrl };
  const read = (signal: AbortSignal) =>
    reader.read(secret, { ...reading, signal }, who.way === "identity token");
  const credential: Credential =
    who.way === "identity token"
      ? {
          ...who,
          // Two credentials with the same place are the same.
          place: secret.kind === "value" ? secret.place : identityOf(secret),
          origin: secret.origin,
          readToken: read,
        }
      : { ...who, secret: await read(reading.signal) };
  return { credential, tls };
}
