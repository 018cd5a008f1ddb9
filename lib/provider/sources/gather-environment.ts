import { resolve } from "node:path";
import { defined, IamTokensError } from "../../tokens";
import { isSecretArgument, PARTS, type Part, type Way } from "../../tokens/ways";
import { isKnown } from "../configuration/argument";
import { list } from "../configuration/wording";
import { type TlsFiles, tlsFilesBy } from "../credentials/credential-description";
import type { Gathered, Given } from "../credentials/gathered";
import {
  ELSEWHERE,
  INSTEAD,
  insecureWarning,
  waysOfType,
  wrongType,
} from "../credentials/openstack-settings";
import type { ProviderBlock } from "../credentials/provider-block";
import {
  attachedNote,
  type ProcessContext,
  variableOf,
  variablesGiving,
} from "../process/process-context";

/**
 * The parts in the OS_ variables, if no cloud is named. `ca_file`, `cert_file` and `key_file` of
 * the block are used with them: they are not secrets of the pipeline, and only decide whom to
 * trust. They have precedence over OS_CACERT, OS_CERT and OS_KEY.
 *
 * @throws ERR_CREDENTIALS_MISSING if there are none; ERR_CREDENTIALS_UNSUPPORTED,
 * ERR_CERTIFICATE_INVALID
 */
export function gatherEnvironment(block: ProviderBlock, processContext: ProcessContext): Gathered {
  if (PARTS.every((part) => variablesGiving(part, processContext).length === 0))
    throw nothingGiven(processContext);
  const ways = supportedWays(processContext);
  const project = variableOf(processContext, "OS_PROJECT_NAME");
  return {
    source: "environment",
    ways,
    gives: "The environment gives",
    given: (part) => givenBy(part, processContext),
    incomplete: (lacking, given) => incomplete(lacking, given, processContext),
    ...defined({
      project: project === undefined ? undefined : { name: project, origin: "OS_PROJECT_NAME" },
    }),
    ...insecureWarning("the environment", insecureIn(processContext), "OS_CACERT"),
    ...tlsFilesIn(block, processContext),
  };
}

function givenBy(part: Part, processContext: ProcessContext): Given | undefined {
  const [name] = variablesGiving(part, processContext);
  const value = name === undefined ? undefined : variableOf(processContext, name);
  if (name === undefined || value === undefined) return undefined;
  return isSecretArgument(part.argument)
    ? { name, value: { kind: "env", name, origin: name } }
    : { name, value };
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

function incomplete(
  lacking: readonly Part[],
  given: readonly string[],
  processContext: ProcessContext,
): IamTokensError {
  const names = lacking.map(({ variables }) => {
    const empty = variables.some((each) => processContext.variables[each] === "");
    return empty ? `${variables[0]} (empty)` : variables[0];
  });
  return new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `The environment gives ${list(given)}, but not ${list(names)}.${attachedNote(processContext)}`,
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
 * The ways that OS_AUTH_TYPE allows. Refuses, by name, settings that token issuing does not
 * support: ids, other accounts, other ways of signing in, another scope. If one were ignored, the
 * token could have another meaning than the user intended.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
function supportedWays(processContext: ProcessContext): readonly Way[] {
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
  const ways = waysOfType(variable("OS_AUTH_TYPE"));
  if (ways.length === 0) reasons.push(`OS_AUTH_TYPE ${wrongType()}`);
  if (reasons.length === 0) return ways;
  throw new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `${reasons.join(" ")}${attachedNote(processContext)}`,
    {
      remedy:
        "Unset the named variables (or give all credentials in the provider block, which then ignores the environment).",
    },
  );
}

/** Settings that would switch off certificate checks. */
function insecureIn(processContext: ProcessContext): readonly string[] {
  const variable = (name: string): string | undefined => variableOf(processContext, name);
  return [
    ...(/^(?:0|false|no|off)$/i.test(variable("OS_INSECURE") ?? "0") ? [] : ["OS_INSECURE"]),
    ...(/^(?:1|true|yes|on)$/i.test(variable("OS_VERIFY") ?? "1") ? [] : ["OS_VERIFY"]),
  ];
}

/** The variable of a setting. */
function variableFor(setting: string): string {
  return `OS_${setting.toUpperCase()}`;
}
