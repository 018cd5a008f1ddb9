import { IamTokensError, parseAuthUrl } from "../../tokens";
import { isKnown } from "../configuration/argument";
import type { ProviderArgument } from "../configuration/construct-words";
import { list, named } from "../configuration/wording";
import {
  argumentsGiving,
  type CredentialDescription,
  PIECES,
  type Piece,
  type TlsFiles,
  tlsFilesBy,
  variablesGiving,
} from "../credentials/credential-description";
import type { ProviderBlock } from "../credentials/provider-block";
import { attachedNote, type ProcessContext } from "../process/process-context";
import type { SecretReference } from "../secrets/secret-reference";

/** A path in a token's block cannot point into the provider block. */
const inBlock = (argument: ProviderArgument): string => `${argument} of the provider block`;

/**
 * The credentials in a provider block. If it provides all, the environment is ignored.
 *
 * @throws ERR_CREDENTIALS_MIXED if the environment has what the block lacks;
 * ERR_CREDENTIALS_MISSING if neither has it
 */
export function describeBlock(
  block: ProviderBlock,
  processContext: ProcessContext,
): CredentialDescription {
  const { auth_url: authUrl, account_id: accountId, user_name: userName } = block;
  const password = passwordOf(block);
  if (!isKnown(authUrl) || !isKnown(accountId) || !isKnown(userName) || password === undefined)
    throw incomplete(block, processContext);
  return {
    source: "block",
    authUrl: named("auth_url", () => parseAuthUrl(authUrl)),
    accountId,
    userName,
    password,
  };
}

/** The files for TLS in a block; they do not make it the source of the credentials. */
export function tlsFilesOf(block: ProviderBlock): TlsFiles {
  return tlsFilesBy(["ca_file", "cert_file", "key_file"], (name) => {
    const path = block[name];
    return isKnown(path) ? { path, origin: inBlock(name) } : undefined;
  });
}

function passwordOf(block: ProviderBlock): SecretReference | undefined {
  if (isKnown(block.password))
    return { kind: "value", value: block.password, origin: inBlock("password") };
  if (isKnown(block.password_env))
    return { kind: "env", name: block.password_env, origin: inBlock("password_env") };
  if (isKnown(block.password_file))
    return { kind: "file", path: block.password_file, origin: inBlock("password_file") };
  return undefined;
}

function incomplete(block: ProviderBlock, processContext: ProcessContext): IamTokensError {
  const given = PIECES.flatMap((piece) => argumentsGiving(piece, block));
  const lacking = PIECES.filter((piece) => argumentsGiving(piece, block).length === 0);
  const elsewhere = lacking.filter((piece) => variablesGiving(piece, processContext).length > 0);
  const nowhere = lacking.filter((piece) => !elsewhere.includes(piece));
  const gives = `The provider block gives ${list(given)}`;
  if (elsewhere.length === 0)
    return new IamTokensError(
      "ERR_CREDENTIALS_MISSING",
      `${gives} and must therefore give all credentials; ${list(nowhere.map(argumentsOf))} ${lacking.length > 1 ? "are" : "is"} missing.`,
      { remedy: `Give ${list(nowhere.map(argumentsOf))} in the provider block.` },
    );
  const variables = elsewhere.flatMap((piece) => variablesGiving(piece, processContext));
  const write = lacking.map((piece) =>
    piece.name === "password" && elsewhere.includes(piece)
      ? 'password_env = "OS_PASSWORD"'
      : argumentsOf(piece),
  );
  const rest =
    nowhere.length > 0
      ? ` ${list(nowhere.map(argumentsOf))} ${nowhere.length > 1 ? "are" : "is"} missing in both.`
      : "";
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `${gives}, but ${list(elsewhere.map(argumentsOf))} would come from the environment (${list(variables)}): two sources.${rest}${attachedNote(processContext)}`,
    {
      remedy: `Add ${list(write)} to the provider block, or remove ${list(given)} from it and let the environment give everything.`,
    },
  );
}

function argumentsOf({ name, arguments: [first, ...more] }: Piece): string {
  return more.length === 0 ? first : `the ${name} (${list([first, ...more], "or")})`;
}
