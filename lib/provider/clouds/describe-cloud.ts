import { join, resolve } from "node:path";
import { assertName, defined, IamTokensError, parseAuthUrl, quote } from "../../tokens";
import { list, named } from "../configuration/wording";
import { ALLOWED_AUTH_URLS } from "../credentials/allowed-auth-urls";
import {
  type CredentialDescription,
  certificateAlone,
  PIECES,
  type TlsFiles,
  tlsFilesBy,
  variablesGiving,
} from "../credentials/credential-description";
import { remarksOn } from "../credentials/openstack-settings";
import { attachedNote, type Surroundings, variableOf } from "../process/surroundings";
import { CloudSettings, type Setting, type TextSetting } from "./cloud-settings";
import type { CloudsFile } from "./cloud-value";
import { findCloud } from "./find-cloud";
import { homeOf } from "./search-path";
import { refusalsOf, remarksOf } from "./unsupported-settings";

/** Which cloud is asked for. */
export interface CloudRequest {
  readonly name: string;
  /** What names it: the provider block (`cloud`), or OS_CLOUD (`environment`). */
  readonly source: "cloud" | "environment";
  /** What counts as the current folder. */
  readonly folder: string;
}

/**
 * The credentials that an entry of clouds.yaml gives, with secure.yaml laid over it.
 *
 * @throws ERR_CLOUD_NOT_FOUND, ERR_CLOUDS_FILE_INVALID, ERR_CREDENTIALS_MISSING,
 * ERR_CREDENTIALS_MIXED, ERR_CREDENTIALS_UNSUPPORTED, ERR_ADDRESS_INVALID, ERR_ACCOUNT_INVALID,
 * ERR_NAME_INVALID, ERR_CERTIFICATE_INVALID
 */
export async function describeCloud(
  request: CloudRequest,
  surroundings: Surroundings,
): Promise<CredentialDescription> {
  const { entry, files } = await findCloud(request.name, request.folder, surroundings);
  const settings = new CloudSettings(entry);
  const cloud = `cloud ${quote(request.name)} (${list(files.map(({ path }) => JSON.stringify(path)))})`;
  const give = (setting: Pick<TextSetting, "path">): string => `${setting.path} of the ${cloud}`;

  const refusals = refusalsOf(settings);
  if (refusals.length > 0) throw unsupported(cloud, refusals);
  const text = (...keys: string[]): TextSetting | undefined => settings.text(settings.all(...keys));
  const address = text("auth_url");
  const user = text("username", "user_name");
  const password = text("password");
  const [userDomain, domain] = [text("user_domain_name"), text("domain_name")];
  const account = userDomain ?? domain;
  assertOneAccount(cloud, account, [domain, text("project_domain_name")]);
  if (!address || !user || !password || !account)
    throw incomplete(cloud, { address, account, user, password }, request, surroundings);
  assertTogether(cloud, address.value.file, password.value.file, surroundings);

  const authUrl = named(give(address), () => parseAuthUrl(literal(cloud, address)));
  const accountId = account.value.text.reveal();
  assertName(give(account), accountId, "ERR_ACCOUNT_INVALID");
  const userName = user.value.text.reveal();
  assertName(give(user), userName);
  const project = text("project_name");
  return {
    source: request.source,
    authUrl,
    accountId,
    userName,
    password: { kind: "value", value: password.value.text, origin: give(password) },
    ...defined({
      project: project && { name: project.value.text.reveal(), origin: give(project) },
      remark: remarkOn(cloud, settings, request, surroundings) || undefined,
    }),
    ...tlsFiles(cloud, settings, request.folder, surroundings),
  };
}

function remarkOn(
  cloud: string,
  settings: CloudSettings,
  { source }: CloudRequest,
  surroundings: Surroundings,
): string {
  const remarks = remarksOf(settings).join(" ");
  // Beside a cloud that OS_CLOUD names it is the one other variable that openstacksdk heeds.
  const region =
    source === "environment" && variableOf(surroundings, "OS_REGION_NAME") !== undefined;
  return [
    ...(remarks === "" ? [] : [`In the ${cloud}: ${remarks}`]),
    ...(region ? remarksOn(["OS_REGION_NAME"], [], "cacert") : []),
  ].join(" ");
}

function tlsFiles(
  cloud: string,
  settings: CloudSettings,
  folder: string,
  surroundings: Surroundings,
): TlsFiles {
  return tlsFilesBy(
    ["cacert", "cert", "key"],
    (key) => {
      const setting = settings.text(settings.besideAuth(key));
      if (setting === undefined) return undefined;
      const path = resolve(folder, withHome(literal(cloud, setting), surroundings));
      return { path, origin: `${setting.path} of the ${cloud}` };
    },
    (here, other) => certificateAlone(`${here} of the ${cloud}`, other),
  );
}

function withHome(path: string, surroundings: Surroundings): string {
  const home = homeOf(surroundings);
  return home !== undefined && /^~(?:\/|$)/.test(path) ? join(home, path.slice(1)) : path;
}

/** openstacksdk puts other settings in the place of `{name}`. */
function literal(cloud: string, { path, value }: TextSetting): string {
  const text = value.text.reveal();
  if (!/[{}]/.test(text)) return text;
  throw unsupported(cloud, [`${path} has a brace; other settings are not put into it here.`]);
}

/**
 * Refuses an address that came with the project, with a password that did not: a cloned repository
 * would say where the user's password goes. A link, which a repository can bring too, makes the
 * user's file none of the project's. IAM_TOKENS_ALLOWED_AUTH_URLS decides where it is set.
 */
function assertTogether(
  cloud: string,
  address: CloudsFile,
  password: CloudsFile,
  surroundings: Surroundings,
): void {
  const together = address.realFolder === password.realFolder;
  if (!address.ofProject || together || surroundings.variables[ALLOWED_AUTH_URLS] !== undefined)
    return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `The address of the ${cloud} comes from ${JSON.stringify(address.path)}, a file of the project, and the password from ${JSON.stringify(password.path)}: two sources.`,
    {
      remedy: `Write auth_url beside the password too, keep both files in one folder, or list the address in ${ALLOWED_AUTH_URLS}.`,
    },
  );
}

function assertOneAccount(
  cloud: string,
  account: TextSetting | undefined,
  others: readonly (TextSetting | undefined)[],
): void {
  if (account === undefined) return;
  const reasons = others
    .filter((each) => each !== undefined)
    .filter(({ value }) => value.text.reveal() !== account.value.text.reveal())
    .map(
      ({ path }) =>
        `${path} is another account than ${account.path}: projects are those of the user's account.`,
    );
  if (reasons.length > 0) throw unsupported(cloud, reasons);
}

function unsupported(cloud: string, reasons: readonly string[]): IamTokensError {
  return new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `In the ${cloud}: ${reasons.join(" ")}`,
    { remedy: "Change what is named, or make an entry for token issuing beside this one." },
  );
}

const KEYS = {
  address: "auth.auth_url",
  account: "auth.user_domain_name",
  user: "auth.username",
  password: "auth.password",
};

function incomplete(
  cloud: string,
  given: Readonly<Record<keyof typeof KEYS, Setting | undefined>>,
  request: CloudRequest,
  surroundings: Surroundings,
): IamTokensError {
  const lacking = PIECES.filter(({ name }) => given[name] === undefined);
  const there = PIECES.flatMap(({ name }) => given[name]?.path ?? []);
  const variables = lacking.flatMap((piece) => variablesGiving(piece, surroundings));
  const by = request.source === "cloud" ? "the provider block" : "OS_CLOUD";
  const gives = `The ${cloud}, named by ${by}, gives ${there.length === 0 ? "no credentials" : list(there)}`;
  const keys = list(lacking.map(({ name }) => KEYS[name]));
  if (variables.length === 0)
    return new IamTokensError(
      "ERR_CREDENTIALS_MISSING",
      `${gives}; ${keys} ${lacking.length > 1 ? "are" : "is"} missing.`,
      { remedy: `Write ${keys} into clouds.yaml, or into secure.yaml.` },
    );
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    `${gives}, but ${keys} would have to come from the environment (${list(variables)}): two sources.${attachedNote(surroundings)}`,
    {
      remedy: `Write ${keys} into secure.yaml, or give all credentials by the environment and no cloud.`,
    },
  );
}
