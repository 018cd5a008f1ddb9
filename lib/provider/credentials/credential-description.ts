import { type AuthUrl, defined, IamTokensError } from "../../tokens";
import { type Surroundings, variableOf } from "../process/surroundings";
import type { SecretReference } from "../secrets/secret-reference";

/** A file that an argument or a variable names. */
export interface FileReference {
  readonly path: string;
  /** How messages call what named it. */
  readonly origin: string;
}

/** Whose credentials for which service: all that can be known before a secret is read. */
export interface CredentialDescription {
  /** What gave address, account, user and password: all four come from one source. */
  readonly source: "block" | "cloud" | "environment";
  readonly authUrl: AuthUrl;
  readonly accountId: string;
  readonly userName: string;
  readonly password: SecretReference;
  /** The project that OS_PROJECT_NAME or the cloud names. Not checked: only some tokens need it. */
  readonly project?: { readonly name: string; readonly origin: string };
  readonly caFile?: FileReference;
  readonly clientCertificate?: { readonly cert: FileReference; readonly key: FileReference };
  /** What the source says and is not done, in one text: of equal warnings Terraform shows one. */
  readonly remark?: string;
}

/** The files for TLS of a description. */
export type TlsFiles = Pick<CredentialDescription, "caFile" | "clientCertificate">;

/**
 * The files for TLS that a source names.
 *
 * @param alone the error of a certificate without its key, or the other way round
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

/** The error of a certificate without its key, or the other way round. */
export function certificateAlone(here: string, other: string): IamTokensError {
  return new IamTokensError("ERR_CERTIFICATE_INVALID", `${here} is given without ${other}.`);
}

type PasswordArgument = "password" | "password_env" | "password_file";
type PieceArgument = "auth_url" | "account_id" | "user_name" | PasswordArgument;

/** One of the four pieces of a set of credentials: what can give it, the usual one first. */
export interface Piece {
  readonly name: "address" | "account" | "user" | "password";
  readonly arguments: readonly [PieceArgument, ...PieceArgument[]];
  readonly variables: readonly [string, ...string[]];
}

/** What a set of credentials is made of. */
export const PIECES: readonly Piece[] = [
  { name: "address", arguments: ["auth_url"], variables: ["OS_AUTH_URL"] },
  {
    name: "account",
    arguments: ["account_id"],
    variables: ["OS_USER_DOMAIN_NAME", "OS_DOMAIN_NAME"],
  },
  { name: "user", arguments: ["user_name"], variables: ["OS_USERNAME"] },
  {
    name: "password",
    arguments: ["password", "password_env", "password_file"],
    variables: ["OS_PASSWORD"],
  },
];

/** The arguments of the block that give this piece; one that is not known yet counts. */
export function argumentsGiving(
  piece: Piece,
  block: Readonly<Record<PieceArgument, unknown>>,
): readonly PieceArgument[] {
  return piece.arguments.filter((name) => block[name] !== null);
}

/** The variables that give this piece. */
export function variablesGiving(piece: Piece, surroundings: Surroundings): readonly string[] {
  return piece.variables.filter((name) => variableOf(surroundings, name) !== undefined);
}
