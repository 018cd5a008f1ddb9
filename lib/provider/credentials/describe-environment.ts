import { resolve } from "node:path";
import { assertName, IamTokensError, parseAuthUrl } from "../../tokens";
import { isKnown } from "../argument";
import { attachedNote, type Surroundings, variableOf } from "../surroundings";
import { list, named } from "../wording";
import { currentFolder } from "./cloud-request";
import type { CredentialDescription } from "./credential-description";
import { tlsFilesOf } from "./describe-block";
import { PIECES, variablesGiving } from "./pieces";
import type { ProviderBlock } from "./provider-block";
import { assertSupported } from "./unsupported-variables";

/**
 * The credentials that the OS_ variables give, where no cloud is named. `ca_file`, `cert_file` and `key_file` of the block are used with them:
 * they are no secret of the pipeline's, and say only whom to trust. A `ca_file` goes before OS_CACERT.
 *
 * @throws ERR_CREDENTIALS_MISSING, ERR_CREDENTIALS_UNSUPPORTED, ERR_ADDRESS_INVALID, ERR_ACCOUNT_INVALID,
 * ERR_NAME_INVALID
 */
export function describeEnvironment(block: ProviderBlock, surroundings: Surroundings): CredentialDescription {
  const variable = (name: string): string | undefined => variableOf(surroundings, name);
  if (PIECES.every((piece) => variablesGiving(piece, surroundings).length === 0)) throw nothingGiven(surroundings);
  assertSupported(surroundings);
  const [authUrl, userName] = [variable("OS_AUTH_URL"), variable("OS_USERNAME")];
  const accountVariable = variable("OS_USER_DOMAIN_NAME") === undefined ? "OS_DOMAIN_NAME" : "OS_USER_DOMAIN_NAME";
  const accountId = variable(accountVariable);
  if (authUrl === undefined || userName === undefined || accountId === undefined || variable("OS_PASSWORD") === undefined) {
    throw incomplete(surroundings);
  }
  assertName(accountVariable, accountId, "ERR_ACCOUNT_INVALID");
  assertName("OS_USERNAME", userName);
  const project = variable("OS_PROJECT_NAME");
  const caFile = variable("OS_CACERT");
  const inFolder = (path: string): string =>
    isKnown(block.clouds_folder) ? resolve(currentFolder(block, surroundings), path) : path;
  return {
    source: "environment",
    authUrl: named("OS_AUTH_URL", () => parseAuthUrl(authUrl)),
    accountId,
    userName,
    password: { kind: "env", name: "OS_PASSWORD", origin: "OS_PASSWORD" },
    ...(project === undefined ? {} : { project: { name: project, origin: "OS_PROJECT_NAME" } }),
    ...(caFile === undefined ? {} : { caFile: { path: inFolder(caFile), origin: "OS_CACERT" } }),
    ...tlsFilesOf(block),
  };
}

function nothingGiven(surroundings: Surroundings): IamTokensError {
  const file = variableOf(surroundings, "OS_CLIENT_CONFIG_FILE");
  const unnamed =
    file === undefined ? "" : " OS_CLIENT_CONFIG_FILE is set, but OS_CLOUD, which says which of its clouds, is not.";
  return new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `Neither the provider block nor the environment gives any of address, account, user and password.${unnamed}${attachedNote(surroundings)}`,
  );
}

function incomplete(surroundings: Surroundings): IamTokensError {
  const given = PIECES.flatMap((piece) => variablesGiving(piece, surroundings));
  const lacking = PIECES.filter((piece) => variablesGiving(piece, surroundings).length === 0).map((piece) => {
    const [name] = piece.variables;
    const empty = piece.variables.some((each) => surroundings.variables[each] === "");
    return empty ? `${name} (which is empty)` : name;
  });
  return new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `The environment gives ${list(given)}, but not ${list(lacking)}.${attachedNote(surroundings)}`,
  );
}
