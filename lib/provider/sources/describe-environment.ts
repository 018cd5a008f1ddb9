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
  ELSEWHERE,
  INSTEAD,
  PASSWORD_TYPES,
  WITHOUT_EFFECT,
  warningsOn,
} from "../credentials/openstack-settings";
import type { ProviderBlock } from "../credentials/provider-block";
import { attachedNote, type ProcessContext, variableOf } from "../process/process-context";

/**
 * The credentials in the OS_ variables, if no cloud is named. `ca_file`, `cert_file` and `key_file`
 * of the block are used with them: they are not secrets of the pipeline, and only decide whom to
 * trust. They have precedence over OS_CACERT, OS_CERT and OS_KEY.
 *
 * @throws ERR_CREDENTIALS_MISSING, ERR_CREDENTIALS_UNSUPPORTED, ERR_ADDRESS_INVALID,
 * ERR_ACCOUNT_INVALID, ERR_NAME_INVALID, ERR_CERTIFICATE_INVALID
 */
export function describeEnvironment(
  block: ProviderBlock,
  processContext: ProcessContext,
): CredentialDescription {
  const variable = (name: string): string | undefined => variableOf(processContext, name);
  if (PIECES.every((piece) => variablesGiving(piece, processContext).length === 0))
    throw nothingGiven(processContext);
  assertSupported(processContext);
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
    throw incomplete(processContext);
  }
  assertName(accountVariable, accountId, "ERR_ACCOUNT_INVALID");
  assertName("OS_USERNAME", userName);
  const project = variable("OS_PROJECT_NAME");
  return {
    source: "environment",
    authUrl: named("OS_AUTH_URL", () => parseAuthUrl(authUrl)),
    accountId,
    userName,
    password: { kind: "env", name: "OS_PASSWORD", origin: "OS_PASSWORD" },
    ...defined({
      project: project === undefined ? undefined : { name: project, origin: "OS_PROJECT_NAME" },
    }),
    ...warningsIn(processContext),
    ...tlsFilesIn(block, processContext),
  };
}

/** OS_CACERT, OS_CERT and OS_KEY. @throws ERR_CERTIFICATE_INVALID */
export function tlsFilesIn(block: ProviderBlock, processContext: ProcessContext): TlsFiles {
  return tlsFilesBy(
    ["OS_CACERT", "OS_CERT", "OS_KEY"],
    (name) => {
      const path = variableOf(processContext, name);
      if (path === undefined) return undefined;
      const folder = isKnown(block.clouds_folder)
        ? currentFolder(block, processContext)
        : undefined;
      return { path: folder === undefined ? path : resolve(folder, path), origin: name };
    },
    (here, other) =>
      new IamTokensError(
        "ERR_CERTIFICATE_INVALID",
        `${here} is set, but ${other} is not.${attachedNote(processContext)}`,
        { remedy: "Set both, or neither." },
      ),
  );
}

/** The folder for relative files in the environment or in a cloud. */
export function currentFolder(block: ProviderBlock, { workingFolder }: ProcessContext): string {
  return isKnown(block.clouds_folder) ? resolve(workingFolder, block.clouds_folder) : workingFolder;
}

function nothingGiven(processContext: ProcessContext): IamTokensError {
  const file = variableOf(processContext, "OS_CLIENT_CONFIG_FILE");
  const unnamed =
    file === undefined
      ? ""
      : " OS_CLIENT_CONFIG_FILE is set, but OS_CLOUD, which selects one of its clouds, is not.";
  return new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `Neither the provider block nor the environment gives address, account, user or password.${unnamed}${attachedNote(processContext)}`,
  );
}

function incomplete(processContext: ProcessContext): IamTokensError {
  const given = PIECES.flatMap((piece) => variablesGiving(piece, processContext));
  const lacking = PIECES.filter((piece) => variablesGiving(piece, processContext).length === 0).map(
    (piece) => {
      const [name] = piece.variables;
      const empty = piece.variables.some((each) => processContext.variables[each] === "");
      return empty ? `${name} (empty)` : name;
    },
  );
  return new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `The environment gives ${list(given)}, but not ${list(lacking)}.${attachedNote(processContext)}`,
  );
}

/** Variables of settings that are refused, and why. */
const REFUSED = [
  ...Object.entries(INSTEAD).map(
    ([setting, instead]) =>
      [
        variableFor(setting),
        `is set and is not supported; ${variableFor(instead)} does the same by name`,
      ] as const,
  ),
  ...Object.entries(ELSEWHERE).map(([setting, why]) => [variableFor(setting), why] as const),
];

/**
 * Refuses, by name, settings that token issuing does not support: ids, other accounts, another way
 * to authenticate, another scope. If one were ignored, the token could have another meaning than
 * the user intended.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
function assertSupported(processContext: ProcessContext): void {
  const variable = (name: string): string | undefined => variableOf(processContext, name);
  const reasons = REFUSED.filter(([name]) => variable(name) !== undefined).map(
    ([name, why]) => `${name} ${why}.`,
  );
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
      "OS_PROJECT_DOMAIN_NAME is not the user's account; projects belong to the user's account.",
    );
  if (!PASSWORD_TYPES.includes(variable("OS_AUTH_TYPE") ?? "password"))
    reasons.push('OS_AUTH_TYPE asks for another way to authenticate than "password".');
  if (reasons.length === 0) return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `${reasons.join(" ")}${attachedNote(processContext)}`,
    {
      remedy:
        "Unset the named variables (or give all credentials in the provider block, which then ignores the environment).",
    },
  );
}

/** Settings of the environment that have no effect. */
function warningsIn(processContext: ProcessContext): ReturnType<typeof warningsOn> {
  const variable = (name: string): string | undefined => variableOf(processContext, name);
  const ignored = WITHOUT_EFFECT.map(variableFor).filter((name) => variable(name) !== undefined);
  const version = variable("OS_IDENTITY_API_VERSION");
  if (version !== undefined && !API_VERSIONS.includes(version))
    ignored.push("OS_IDENTITY_API_VERSION");
  const insecure = [
    ...(/^(?:0|false|no|off)$/i.test(variable("OS_INSECURE") ?? "0") ? [] : ["OS_INSECURE"]),
    ...(/^(?:1|true|yes|on)$/i.test(variable("OS_VERIFY") ?? "1") ? [] : ["OS_VERIFY"]),
  ];
  return warningsOn("the environment", { ignored, insecure }, "OS_CACERT");
}

/** The variable of a setting. */
function variableFor(setting: string): string {
  return `OS_${setting.toUpperCase()}`;
}
