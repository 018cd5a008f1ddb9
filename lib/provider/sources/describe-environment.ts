import { resolve } from "node:path";
import { assertName, defined, IamTokensError, parseAuthUrl } from "../../tokens";
import { isKnown } from "../configuration/argument";
import { list, named } from "../configuration/wording";
import {
  type CredentialDescription,
  PIECES,
  type TlsFiles,
  tlsFilesBy,
  variablesGiving,
} from "../credentials/credential-description";
import {
  API_VERSIONS,
  INSTEAD,
  PASSWORD_TYPES,
  remarksOn,
  WITHOUT_EFFECT,
} from "../credentials/openstack-settings";
import type { ProviderBlock } from "../credentials/provider-block";
import { attachedNote, type Surroundings, variableOf } from "../process/surroundings";

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
  const remarks = remarksIn(surroundings);
  return {
    source: "environment",
    authUrl: named("OS_AUTH_URL", () => parseAuthUrl(authUrl)),
    accountId,
    userName,
    password: { kind: "env", name: "OS_PASSWORD", origin: "OS_PASSWORD" },
    ...defined({
      project: project === undefined ? undefined : { name: project, origin: "OS_PROJECT_NAME" },
      remark: remarks.length === 0 ? undefined : `In the environment: ${remarks.join(" ")}`,
    }),
    ...tlsFilesIn(block, surroundings),
  };
}

function tlsFilesIn(block: ProviderBlock, surroundings: Surroundings): TlsFiles {
  return tlsFilesBy(
    ["OS_CACERT", "OS_CERT", "OS_KEY"],
    (name) => {
      const path = variableOf(surroundings, name);
      if (path === undefined) return undefined;
      const folder = isKnown(block.clouds_folder) ? currentFolder(block, surroundings) : undefined;
      return { path: folder === undefined ? path : resolve(folder, path), origin: name };
    },
    (here, other) =>
      new IamTokensError(
        "ERR_CERTIFICATE_INVALID",
        `${here} is set, and ${other} is not.${attachedNote(surroundings)}`,
        { remedy: "Set both, or neither." },
      ),
  );
}

/** The folder in which files that the environment or a cloud names are looked for. */
export function currentFolder(block: ProviderBlock, { workingFolder }: Surroundings): string {
  return isKnown(block.clouds_folder) ? resolve(workingFolder, block.clouds_folder) : workingFolder;
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

const TOKEN = "is a token (not repeated here); tokens are issued here, for a password";
const SCOPE = "asks for a scope that the service does not have";

/** Ids: the service's operation takes names. */
const BY_NAME = Object.fromEntries(
  Object.entries(INSTEAD).map(([setting, instead]) => [
    variableFor(setting),
    `is set and cannot be honoured; ${variableFor(instead)} says the same by name`,
  ]),
);

/** Variables that ask for something else than a token for a password. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  OS_TOKEN: TOKEN,
  OS_AUTH_TOKEN: TOKEN,
  OS_PASSCODE: "asks for a second factor, and service users have none",
  OS_TRUST_ID: SCOPE,
  OS_SYSTEM_SCOPE: SCOPE,
};

/**
 * Refuses, by name, what token issuing cannot honour: ids, other accounts, another way to
 * authenticate, another scope. Ignored, each could give a token of something else than was meant.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
function assertSupported(surroundings: Surroundings): void {
  const variable = (name: string): string | undefined => variableOf(surroundings, name);
  const refused = Object.entries({ ...BY_NAME, ...ELSEWHERE });
  const reasons = refused
    .filter(([name]) => variable(name) !== undefined)
    .map(([name, why]) => `${name} ${why}.`);
  const [user, domain, project] = [
    variable("OS_USER_DOMAIN_NAME"),
    variable("OS_DOMAIN_NAME"),
    variable("OS_PROJECT_DOMAIN_NAME"),
  ];
  if (user !== undefined && domain !== undefined && user !== domain)
    reasons.push("OS_USER_DOMAIN_NAME and OS_DOMAIN_NAME give different account numbers.");
  const account = user ?? domain;
  if (project !== undefined && account !== undefined && project !== account)
    reasons.push(
      "OS_PROJECT_DOMAIN_NAME is another account than the user's: projects are those of the user's account.",
    );
  if (!PASSWORD_TYPES.includes(variable("OS_AUTH_TYPE") ?? "password"))
    reasons.push('OS_AUTH_TYPE asks for another way to authenticate than "password".');
  if (reasons.length === 0) return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `${reasons.join(" ")}${attachedNote(surroundings)}`,
    {
      remedy:
        "Unset what is named (or give all credentials in the provider block, which then ignores the environment).",
    },
  );
}

/** What the environment says and is not done. */
function remarksIn(surroundings: Surroundings): readonly string[] {
  const variable = (name: string): string | undefined => variableOf(surroundings, name);
  const ignored = WITHOUT_EFFECT.map(variableFor).filter((name) => variable(name) !== undefined);
  const version = variable("OS_IDENTITY_API_VERSION");
  if (version !== undefined && !API_VERSIONS.includes(version))
    ignored.push("OS_IDENTITY_API_VERSION");
  const insecure = [
    ...(/^(?:0|false|no|off)$/i.test(variable("OS_INSECURE") ?? "0") ? [] : ["OS_INSECURE"]),
    ...(/^(?:1|true|yes|on)$/i.test(variable("OS_VERIFY") ?? "1") ? [] : ["OS_VERIFY"]),
  ];
  return remarksOn(ignored, insecure, "OS_CACERT");
}

/** The variable of a setting. */
function variableFor(setting: string): string {
  return `OS_${setting.toUpperCase()}`;
}
