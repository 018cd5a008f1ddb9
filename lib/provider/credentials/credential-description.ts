import type { Subject } from "../../identity";
import { type AuthUrl, defined, IamTokensError } from "../../tokens";
import type { SecretReference } from "../secrets/secret-reference";

/** A file that an argument or a variable names. */
export interface FileReference {
  readonly path: string;
  /** The name of its origin in messages. */
  readonly origin: string;
}

/** The credentials and the service: everything that is known before a secret is read. */
export type CredentialDescription = Subject & {
  /** The source of all parts: they come from one. */
  readonly source: "block" | "cloud" | "environment";
  readonly authUrl: AuthUrl;
  readonly secret: SecretReference;
  /** The project from OS_PROJECT_NAME or the cloud. Not checked: only some tokens need it. */
  readonly project?: { readonly name: string; readonly origin: string };
  readonly caFile?: FileReference;
  readonly clientCertificate?: { readonly cert: FileReference; readonly key: FileReference };
  /**
   * Settings of the source that would switch off certificate checks, in one sentence: Terraform
   * prints only one of several equal warnings.
   */
  readonly warning?: string;
};

/** The name of whoever signs in: of a user, of an application credential, or who vouches for it. */
export function nameOf(subject: Subject): string {
  switch (subject.way) {
    case "password":
      return subject.userName;
    case "application credential":
      return "id" in subject.by ? subject.by.id : `${subject.by.userName}/${subject.by.name}`;
    case "identity token":
      return `${subject.identityProvider}/${subject.protocol}`;
  }
}

/** The files for TLS of a description. */
export type TlsFiles = Pick<CredentialDescription, "caFile" | "clientCertificate">;

/**
 * The files for TLS from a source.
 *
 * @param alone the error of a certificate without its key, or of a key without its certificate
 */
export function tlsFilesBy<Name extends string>(
  [ca, cert, key]: readonly [Name, Name, Name],
  file: (name: Name) => FileReference | undefined,
  alone: (here: Name, other: Name) => IamTokensError = certificateAlone,
): TlsFiles {
  const pair = { cert: file(cert), key: file(key) };
  if (pair.cert !== undefined && pair.key === undefined) throw alone(cert, key);
  if (pair.key !== undefined && pair.cert === undefined) throw alone(key, cert);
  const clientCertificate = pair.cert && pair.key ? { cert: pair.cert, key: pair.key } : undefined;
  return defined({ caFile: file(ca), clientCertificate });
}

/** The error of a certificate without its key, or of a key without its certificate. */
export function certificateAlone(here: string, other: string): IamTokensError {
  return new IamTokensError("ERR_CERTIFICATE_INVALID", `${here} is given without ${other}.`);
}
