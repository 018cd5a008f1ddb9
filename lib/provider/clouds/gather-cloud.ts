import { join, resolve } from "node:path";
import { defined, escaped, IamTokensError, quote } from "../../tokens";
import { isSecretArgument, PARTS, type Part } from "../../tokens/ways";
import { list } from "../configuration/wording";
import { ALLOWED_AUTH_URLS } from "../credentials/allowed-auth-urls";
import { certificateAlone, type TlsFiles, tlsFilesBy } from "../credentials/credential-description";
import type { Gathered, Given } from "../credentials/gathered";
import { insecureWarning } from "../credentials/openstack-settings";
import { attachedNote, type ProcessContext, variablesGiving } from "../process/process-context";
import { CloudSettings, type TextSetting } from "./cloud-settings";
import type { CloudsFile } from "./cloud-value";
import { findCloud } from "./find-cloud";
import { homeOf } from "./search-path";
import { insecureIn, refusalsOf, waysOf } from "./unsupported-settings";

/** The requested cloud. */
export interface CloudRequest {
  readonly name: string;
  /** Its origin: the provider block (`cloud`), or OS_CLOUD (`environment`). */
  readonly source: "cloud" | "environment";
  /** The folder that is used as the current one. */
  readonly folder: string;
}

/**
 * The parts in an entry of clouds.yaml, merged with secure.yaml.
 *
 * @throws ERR_CLOUD_NOT_FOUND, ERR_CLOUDS_FILE_INVALID, ERR_CREDENTIALS_MIXED,
 * ERR_CREDENTIALS_UNSUPPORTED, ERR_CERTIFICATE_INVALID
 */
export async function gatherCloud(
  request: CloudRequest,
  processContext: ProcessContext,
): Promise<Gathered> {
  const { entry, files } = await findCloud(request.name, request.folder, processContext);
  const settings = new CloudSettings(entry);
  const cloud = `cloud ${quote(request.name)} (${list(files.map(({ path }) => escaped(path)))})`;
  const give = (setting: Pick<TextSetting, "path">): string => `${setting.path} of the ${cloud}`;

  const refusals = refusalsOf(settings);
  if (refusals.length > 0) throw unsupported(cloud, refusals);
  // Of a part with several keys, the first one that is given.
  const settingOf = (part: Part): TextSetting | undefined => settings.texts(part.keys)[0];
  const given = (part: Part): Given | undefined => {
    const setting = settingOf(part);
    if (setting === undefined) return undefined;
    const { path: name, value } = setting;
    const origin = give(setting);
    return isSecretArgument(part.argument)
      ? { name, value: { kind: "value", value: value.text, origin } }
      : {
          name,
          origin,
          value: part.argument === "auth_url" ? literal(cloud, setting) : value.text.reveal(),
        };
  };
  const secrets = PARTS.filter(({ argument }) => isSecretArgument(argument));
  const address = settings.texts(["auth_url"])[0];
  for (const secret of secrets.map(settingOf))
    if (address !== undefined && secret !== undefined)
      assertTogether(cloud, address.value.file, secret.value.file, processContext);
  const project = settings.text("project_name");
  const by = request.source === "cloud" ? "the provider block" : "OS_CLOUD";
  const gives = `The ${cloud}, selected by ${by}, gives`;
  return {
    source: request.source,
    ways: waysOf(settings),
    gives,
    given,
    incomplete: (lacking, names) => incomplete(gives, lacking, names, processContext),
    ...defined({
      project: project && { name: project.value.text.reveal(), origin: give(project) },
    }),
    ...insecureWarning(`the ${cloud}`, insecureIn(settings), "cacert"),
    ...tlsFiles(cloud, settings, request.folder, processContext),
  };
}

function tlsFiles(
  cloud: string,
  settings: CloudSettings,
  folder: string,
  processContext: ProcessContext,
): TlsFiles {
  return tlsFilesBy(
    ["cacert", "cert", "key"],
    (key) => {
      const setting = settings.text(key, settings.besideAuth(key));
      if (setting === undefined) return undefined;
      const path = resolve(folder, withHome(literal(cloud, setting), processContext));
      return { path, origin: `${setting.path} of the ${cloud}` };
    },
    (here, other) => certificateAlone(`${here} of the ${cloud}`, other),
  );
}

function withHome(path: string, processContext: ProcessContext): string {
  const home = homeOf(processContext);
  const ofHome = process.platform === "win32" ? /^~(?:[\\/]|$)/ : /^~(?:\/|$)/;
  return home !== undefined && ofHome.test(path) ? join(home, path.slice(1)) : path;
}

/** openstacksdk replaces `{name}` with other settings. */
function literal(cloud: string, { path, value }: TextSetting): string {
  const text = value.text.reveal();
  if (!/[{}]/.test(text)) return text;
  throw unsupported(cloud, [
    `${path} contains a brace; this provider does not substitute other settings in it.`,
  ]);
}

/**
 * Refuses an address that came with the project together with a secret that did not: a cloned
 * repository would decide where the user's secret is sent. The user's file does not become the
 * project's through a link, which a repository can contain. If IAM_TOKENS_ALLOWED_AUTH_URLS is set,
 * it decides.
 */
function assertTogether(
  cloud: string,
  address: CloudsFile,
  secret: CloudsFile,
  processContext: ProcessContext,
): void {
  const together = address.realFolder === secret.realFolder;
  if (!address.ofProject || together || processContext.variables[ALLOWED_AUTH_URLS] !== undefined)
    return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `The address of the ${cloud} comes from ${escaped(address.path)}, a file in the project, but the secret comes from ${escaped(secret.path)}: two sources.`,
    {
      remedy: `Write auth_url into the secret's file, keep both files in one folder, or list the address in ${ALLOWED_AUTH_URLS}.`,
    },
  );
}

function unsupported(cloud: string, reasons: readonly string[]): IamTokensError {
  return new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `In the ${cloud}: ${reasons.join(" ")}`,
    { remedy: "Change the named settings, or add another entry for token issuing." },
  );
}

function incomplete(
  gives: string,
  lacking: readonly Part[],
  given: readonly string[],
  processContext: ProcessContext,
): IamTokensError {
  const variables = lacking.flatMap((part) => variablesGiving(part, processContext));
  const there = `${gives} ${given.length === 0 ? "no credentials" : list(given)}`;
  const keys = list(lacking.map((part) => `auth.${part.keys[0]}`));
  if (variables.length === 0)
    return new IamTokensError(
      "ERR_CREDENTIALS_MISSING",
      `${there}; ${keys} ${lacking.length > 1 ? "are" : "is"} missing.`,
      { remedy: `Add ${keys} to clouds.yaml or secure.yaml.` },
    );
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `${there}, but ${keys} would have to come from the environment (${list(variables)}): two sources.${attachedNote(processContext)}`,
    {
      remedy: `Add ${keys} to secure.yaml, or select no cloud and give all credentials in the environment.`,
    },
  );
}
