import { type AuthUrl, defined, IamTokensError } from "../../tokens";
import { type ProcessContext, variableOf } from "../process/process-context";
import type { SecretReference } from "../secrets/secret-reference";

/** A file that an argument or a variable names. */
export interface FileReference {
  readonly path: string;
  /** The name of its origin in messages. */
  readonly origin: string;
}

/**
 * The user and the service of the credentials: everything that is known before a secret is read.
 */
export interface CredentialDescription {
  /** The source of address, account, user and password: all four come from one source. */
  readonly source: "block" | "cloud" | "environment";
  readonly authUrl: AuthUrl;
  readonly accountId: string;
  readonly userName: string;
  readonly password: SecretReference;
  /** The project from OS_PROJECT_NAME or the cloud. Not checked: only some tokens need it. */
  readonly project?: { readonly name: string; readonly origin: string };
  readonly caFile?: FileReference;
  readonly clientCertificate?: { readonly cert: FileReference; readonly key: FileReference };
  /**
   * Unsupported settings of the source, in one sentence: Terraform prints only one of several equal
   * warnings.
   */
  readonly warning?: string;
  /**
   * Settings without effect and without harm: not a warning, because it would come with each plan.
   */
  readonly withoutEffect?: string;
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

type PasswordArgument = "password" | "password_env" | "password_file";
type PieceArgument = "auth_url" | "account_id" | "user_name" | PasswordArgument;

/**
 * One of the four parts of a set of credentials, with the settings that can provide it, the usual
 * one first.
 */
export interface Piece {
  readonly name: "address" | "account" | "user" | "password";
  readonly arguments: readonly [PieceArgument, ...PieceArgument[]];
  readonly variables: readonly [string, ...string[]];
  /** Keys of clouds.yaml, with `_`. */
  readonly keys: readonly [string, ...string[]];
}

/** The parts of a set of credentials. */
export const PIECES: readonly Piece[] = [
  { name: "address", arguments: ["auth_url"], variables: ["OS_AUTH_URL"], keys: ["auth_url"] },
  {
    name: "account",
    arguments: ["account_id"],
    variables: ["OS_USER_DOMAIN_NAME", "OS_DOMAIN_NAME"],
    keys: ["user_domain_name", "domain_name"],
  },
  {
    name: "user",
    arguments: ["user_name"],
    variables: ["OS_USERNAME"],
    keys: ["username", "user_name"],
  },
  {
    name: "password",
    arguments: ["password", "password_env", "password_file"],
    variables: ["OS_PASSWORD"],
    keys: ["password"],
  },
];

/** The block's arguments that provide this part; one that is not known yet counts. */
export function argumentsGiving(
  piece: Piece,
  block: Readonly<Record<PieceArgument, unknown>>,
): readonly PieceArgument[] {
  return piece.arguments.filter((name) => block[name] !== null);
}

/** The variables that provide this part. */
export function variablesGiving(piece: Piece, processContext: ProcessContext): readonly string[] {
  return piece.variables.filter((name) => variableOf(processContext, name) !== undefined);
}
