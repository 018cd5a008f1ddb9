import { describeCredentials } from "../../provider/credentials/describe-credentials";
import { isOfProject } from "../../provider/credentials/of-project";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { ALLOWED_AUTH_URLS } from "../../provider/process/allow-list";
import { type ProcessContext, variableOf } from "../../provider/process/process-context";
import { named } from "../../provider/wording";
import {
  type AuthUrl,
  addressOf,
  IamTokensError,
  parseSharedAuthUrl,
  type UnresolvedUrl,
} from "../../tokens";

/** As it is given. */
type GivenUrl = AuthUrl | UnresolvedUrl;

/** The identity services that the caller names, in contrast to those that a state names. */
export interface CallersAddresses {
  /** For a token that does not say who issued it. */
  readonly elsewhere: GivenUrl | undefined;
  /** All of them: an option, and the environment. */
  readonly all: readonly GivenUrl[];
}

/**
 * The addresses that the caller of a command gives: about a state's tokens, or about one token,
 * which does not say who issued it.
 *
 * @param option of --auth-url
 * @throws ERR_USAGE without one for a token
 */
export async function callersAddresses(
  option: GivenUrl | undefined,
  isOfState: boolean,
  context: ProcessContext,
): Promise<CallersAddresses> {
  const ofEnvironment = await addressIn(context).catch((error: unknown) => {
    // It confirms nothing then, and nothing is sent by it.
    if ((option ?? isOfState) && IamTokensError.is(error)) return undefined;
    throw error;
  });
  const all = [option, ofEnvironment].filter((each) => each !== undefined);
  if (isOfState) return { elsewhere: option, all };
  if (all.length > 0) return { elsewhere: all[0], all };
  throw new IamTokensError(
    "ERR_USAGE",
    "The identity service that issued the token is not given.",
    { remedy: "Add --auth-url ADDRESS, or set OS_AUTH_URL or OS_CLOUD." },
  );
}

async function addressIn(context: ProcessContext): Promise<GivenUrl | undefined> {
  const address = variableOf(context, "OS_AUTH_URL");
  if (address !== undefined) return named("OS_AUTH_URL", () => parseSharedAuthUrl(address));
  return variableOf(context, "OS_CLOUD") === undefined ? undefined : addressOfCloud(context);
}

/**
 * The address of the cloud that OS_CLOUD names. A file of the project, which may be a clone of
 * somebody's repository, must not decide where a token from elsewhere is sent: the cloud must have
 * the same address without the files of this folder, or the list of allowed addresses decides.
 */
async function addressOfCloud(context: ProcessContext): Promise<GivenUrl> {
  const describedFrom = (workingFolder: string) =>
    describeCredentials(toProviderBlock({}), { ...context, workingFolder });
  const { authUrl } = await describedFrom(context.workingFolder);
  if (context.variables[ALLOWED_AUTH_URLS] !== undefined) return authUrl;
  // No folder: a program is a file.
  const outside = await describedFrom(process.execPath).catch(() => undefined);
  const file = outside?.addressFile;
  const isSame = outside && addressOf(outside.authUrl) === addressOf(authUrl);
  if (isSame && file && !isOfProject(file, context.workingFolder)) return authUrl;
  throw new IamTokensError(
    "ERR_ADDRESS_NOT_ALLOWED",
    `The address of the cloud that OS_CLOUD names, ${addressOf(authUrl)}, comes from a file in this folder.`,
    {
      remedy: `Give --auth-url ADDRESS, or list the address in ${ALLOWED_AUTH_URLS}. The token was not sent.`,
    },
  );
}
