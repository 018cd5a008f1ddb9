import { join, resolve } from "node:path";
import { assertName, defined, escaped, IamTokensError, parseAuthUrl, quote } from "../../tokens";
import { list, named } from "../configuration/wording";
import { ALLOWED_AUTH_URLS } from "../credentials/allowed-auth-urls";
import {
  type CredentialDescription,
  certificateAlone,
  PIECES,
  type Piece,
  type TlsFiles,
  tlsFilesBy,
  variablesGiving,
} from "../credentials/credential-description";
import { warningsOn } from "../credentials/openstack-settings";
import { attachedNote, type ProcessContext, variableOf } from "../process/process-context";
import { CloudSettings, type TextSetting } from "./cloud-settings";
import type { CloudsFile } from "./cloud-value";
import { findCloud } from "./find-cloud";
import { homeOf } from "./search-path";
import { refusalsOf, unsupportedIn } from "./unsupported-settings";

/** The requested cloud. */
export interface CloudRequest {
  readonly name: string;
  /** Its origin: the provider block (`cloud`), or OS_CLOUD (`environment`). */
  readonly source: "cloud" | "environment";
  /** The folder that is used as the current one. */
  readonly folder: string;
}

type Parts = Readonly<Record<Piece["name"], TextSetting | undefined>>;

/**
 * The credentials in an entry of clouds.yaml, merged with secure.yaml.
 *
 * @throws ERR_CLOUD_NOT_FOUND, ERR_CLOUDS_FILE_INVALID, ERR_CREDENTIALS_MISSING,
 * ERR_CREDENTIALS_MIXED, ERR_CREDENTIALS_UNSUPPORTED, ERR_ADDRESS_INVALID, ERR_ACCOUNT_INVALID,
 * ERR_NAME_INVALID, ERR_CERTIFICATE_INVALID
 */
export async function describeCloud(
  request: CloudRequest,
  processContext: ProcessContext,
): Promise<CredentialDescription> {
  const { entry, files } = await findCloud(request.name, request.folder, processContext);
  const settings = new CloudSettings(entry);
  const cloud = `cloud ${quote(request.name)} (${list(files.map(({ path }) => escaped(path)))})`;
  const give = (setting: Pick<TextSetting, "path">): string => `${setting.path} of the ${cloud}`;

  const refusals = refusalsOf(settings);
  if (refusals.length > 0) throw unsupported(cloud, refusals);
  // Of a part with several keys, the first one that is given.
  const parts = Object.fromEntries(
    PIECES.map(({ name, keys }) => [name, settings.texts(keys)[0]]),
  ) as Parts;
  const { address, account, user, password } = parts;
  if (!address || !user || !password || !account)
    throw incomplete(cloud, parts, request, processContext);
  assertTogether(cloud, address.value.file, password.value.file, processContext);

  const authUrl = named(give(address), () => parseAuthUrl(literal(cloud, address)));
  const accountId = account.value.text.reveal();
  assertName(give(account), accountId, "ERR_ACCOUNT_INVALID");
  const userName = user.value.text.reveal();
  assertName(give(user), userName);
  const project = settings.text("project_name");
  return {
    source: request.source,
    authUrl,
    accountId,
    userName,
    password: { kind: "value", value: password.value.text, origin: give(password) },
    ...defined({
      project: project && { name: project.value.text.reveal(), origin: give(project) },
    }),
    ...warningsOnCloud(cloud, settings, request, processContext),
    ...tlsFiles(cloud, settings, request.folder, processContext),
  };
}

function warningsOnCloud(
  cloud: string,
  settings: CloudSettings,
  { source }: CloudRequest,
  processContext: ProcessContext,
): ReturnType<typeof warningsOn> {
  const { ignored, insecure } = unsupportedIn(settings);
  // The only other variable that openstacksdk reads together with OS_CLOUD.
  const region =
    source === "environment" && variableOf(processContext, "OS_REGION_NAME") !== undefined;
  const all = region ? [...ignored, "OS_REGION_NAME of the environment"] : ignored;
  return warningsOn(`the ${cloud}`, { ignored: all, insecure }, "cacert");
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
 * Refuses an address that came with the project together with a password that did not: a cloned
 * repository would decide where the user's password is sent. The user's file does not become the
 * project's through a link, which a repository can contain. If IAM_TOKENS_ALLOWED_AUTH_URLS is set,
 * it decides.
 */
function assertTogether(
  cloud: string,
  address: CloudsFile,
  password: CloudsFile,
  processContext: ProcessContext,
): void {
  const together = address.realFolder === password.realFolder;
  if (!address.ofProject || together || processContext.variables[ALLOWED_AUTH_URLS] !== undefined)
    return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `The address of the ${cloud} comes from ${escaped(address.path)}, a file in the project, but the password comes from ${escaped(password.path)}: two sources.`,
    {
      remedy: `Write auth_url into the password's file, keep both files in one folder, or list the address in ${ALLOWED_AUTH_URLS}.`,
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
  cloud: string,
  given: Parts,
  request: CloudRequest,
  processContext: ProcessContext,
): IamTokensError {
  const lacking = PIECES.filter(({ name }) => given[name] === undefined);
  const there = PIECES.flatMap(({ name }) => given[name]?.path ?? []);
  const variables = lacking.flatMap((piece) => variablesGiving(piece, processContext));
  const by = request.source === "cloud" ? "the provider block" : "OS_CLOUD";
  const gives = `The ${cloud}, selected by ${by}, gives ${there.length === 0 ? "no credentials" : list(there)}`;
  const keys = list(lacking.map((piece) => `auth.${piece.keys[0]}`));
  if (variables.length === 0)
    return new IamTokensError(
      "ERR_CREDENTIALS_MISSING",
      `${gives}; ${keys} ${lacking.length > 1 ? "are" : "is"} missing.`,
      { remedy: `Add ${keys} to clouds.yaml or secure.yaml.` },
    );
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `${gives}, but ${keys} would have to come from the environment (${list(variables)}): two sources.${attachedNote(processContext)}`,
    {
      remedy: `Add ${keys} to secure.yaml, or select no cloud and give all credentials in the environment.`,
    },
  );
}
