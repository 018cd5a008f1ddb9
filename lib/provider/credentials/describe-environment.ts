import { resolve } from "node:path";
import { assertName, IamTokensError, parseAuthUrl } from "../../tokens";
import { isKnown } from "../argument";
import { attachedNote, type Surroundings, variableOf } from "../surroundings";
import { list, named } from "../wording";
import { currentFolder } from "./cloud-request";
import type { CredentialDescription, FileReference } from "./credential-description";
import { tlsFilesOf } from "./describe-block";
import { PIECES, variablesGiving } from "./pieces";
import type { ProviderBlock } from "./provider-block";
import { assertSupported } from "./unsupported-variables";
import { remarksOnVariables } from "./without-effect";

/**
 * The credentials that the OS_ variables give, where no cloud is named. `ca_file`, `cert_file` and
 * `key_file` of the block are used with them: they are no secret of the pipeline's, and say only
 * whom to trust. They go before OS_CACERT, OS_CERT and OS_KEY.
 *
 * @throws ERR_CREDENTIALS_MISSING, ERR_CREDENTIALS_UNSUPPORTED, ERR_ADDRESS_INVALID,
 * ERR_ACCOUNT_INVALID, ERR_NAME_INVALID, ERR_CERTIFICATE_INVALID
 */
export function describeEnvironment(
  block: ProviderBlock,
  surroundings: Surroundings,
): CredentialDescription {
  const variable = (name: string): string | undefined => variableOf(surroundings, name);
  if (PIECES.every((piece) => variablesGiving(piece, surroundings).length === 0))
    throw nothingGiven(surroundings);
  assertSupported(surroundings);
  const [authUrl, userName] = [variable("OS_AUTH_URL"), variable("OS_USERNAME")];
  const accountVariable =
    variable("OS_USER_DOMAIN_NAME") === undefined ? "OS_DOMAIN_NAME" : "OS_USER_DOMAIN_NAME";
  const accountId = variable(accountVariable);
  if (
    authUrl === undefined ||
    userName === undefined ||
    accountId === undefined ||
    variable("OS_PASSWORD") === undefined
  ) {
    throw incomplete(surroundings);
  }
  assertName(accountVariable, accountId, "ERR_ACCOUNT_INVALID");
  assertName("OS_USERNAME", userName);
  const project = variable("OS_PROJECT_NAME");
  const remark = remarksOnVariables(surroundings).join(" ");
  return {
    source: "environment",
    authUrl: named("OS_AUTH_URL", () => parseAuthUrl(authUrl)),
    accountId,
    userName,
    password: { kind: "env", name: "OS_PASSWORD", origin: "OS_PASSWORD" },
    ...(project === undefined ? {} : { project: { name: project, origin: "OS_PROJECT_NAME" } }),
    ...tlsFilesIn(block, surroundings),
    ...tlsFilesOf(block),
    ...(remark === "" ? {} : { remark: `In the environment: ${remark}` }),
  };
}

function tlsFilesIn(
  block: ProviderBlock,
  surroundings: Surroundings,
): Pick<CredentialDescription, "caFile" | "clientCertificate"> {
  const file = (name: string): FileReference | undefined => {
    const path = variableOf(surroundings, name);
    if (path === undefined) return undefined;
    const inFolder = isKnown(block.clouds_folder)
      ? resolve(currentFolder(block, surroundings), path)
      : path;
    return { path: inFolder, origin: name };
  };
  const [caFile, cert, key] = [file("OS_CACERT"), file("OS_CERT"), file("OS_KEY")];
  if ((cert === undefined) !== (key === undefined)) {
    const [here, other] = cert === undefined ? ["OS_KEY", "OS_CERT"] : ["OS_CERT", "OS_KEY"];
    throw new IamTokensError(
      "ERR_CERTIFICATE_INVALID",
      `${here} is set, and ${other} is not.${attachedNote(surroundings)}`,
      {
        remedy: "Set both, or neither.",
      },
    );
  }
  return {
    ...(caFile ? { caFile } : {}),
    ...(cert && key ? { clientCertificate: { cert, key } } : {}),
  };
}

function nothingGiven(surroundings: Surroundings): IamTokensError {
  const file = variableOf(surroundings, "OS_CLIENT_CONFIG_FILE");
  const unnamed =
    file === undefined
      ? ""
      : " OS_CLIENT_CONFIG_FILE is set, but OS_CLOUD, which says which of its clouds, is not.";
  return new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `Neither the provider block nor the environment gives any of address, account, user and password.${unnamed}${attachedNote(surroundings)}`,
  );
}

function incomplete(surroundings: Surroundings): IamTokensError {
  const given = PIECES.flatMap((piece) => variablesGiving(piece, surroundings));
  const lacking = PIECES.filter((piece) => variablesGiving(piece, surroundings).length === 0).map(
    (piece) => {
      const [name] = piece.variables;
      const empty = piece.variables.some((each) => surroundings.variables[each] === "");
      return empty ? `${name} (which is empty)` : name;
    },
  );
  return new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `The environment gives ${list(given)}, but not ${list(lacking)}.${attachedNote(surroundings)}`,
  );
}
