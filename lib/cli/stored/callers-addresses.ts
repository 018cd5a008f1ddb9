import { describeCredentials } from "../../provider/credentials/credentials";
import { isOfProject } from "../../provider/credentials/of-project";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { ALLOWED_AUTH_URLS, hasAllowedAuthUrls } from "../../provider/process/allow-list";
import { type ProcessContext, variableOf } from "../../provider/process/process-context";
import { named } from "../../provider/wording";
import {
  type AuthUrl,
  addressOf,
  IamTokensError,
  mayBeAt,
  parseSharedAuthUrl,
  type UnresolvedUrl,
} from "../../tokens";

/** The identity services that the caller names, in contrast to those that a state names. */
export interface CallersAddresses {
  /** For a token that does not say who issued it. */
  readonly elsewhere: AuthUrl | UnresolvedUrl | undefined;
  /** Whether the caller names an address, too: by an option, the environment or the list. */
  readonly confirm: (
    authUrl: AuthUrl,
    find: (given: AuthUrl | UnresolvedUrl) => Promise<AuthUrl>,
  ) => Promise<boolean>;
}

/**
 * Those of a command about the tokens of a state.
 *
 * @param option of --auth-url
 */
export async function addressesForState(
  option: AuthUrl | undefined,
  context: ProcessContext,
): Promise<CallersAddresses> {
  const ofEnvironment = await addressIn(context).catch((error: unknown) => {
    // It confirms nothing then, and nothing is sent by it.
    if (!IamTokensError.is(error)) throw error;
  });
  const given = [option, ofEnvironment].filter((each) => each !== undefined);
  return {
    elsewhere: option,
    confirm: async ({ v3 }, find) => {
      if (hasAllowedAuthUrls(context)) return true;
      const own = given.filter((each) => mayBeAt(each, v3)).map(find);
      return (await Promise.all(own)).some((found) => found.v3 === v3);
    },
  };
}

/**
 * That of a token which is in no state.
 *
 * @throws ERR_USAGE without one
 */
export async function addressesForToken(
  option: AuthUrl | undefined,
  context: ProcessContext,
): Promise<CallersAddresses> {
  const elsewhere = option ?? (await addressIn(context));
  if (elsewhere !== undefined) return { elsewhere, confirm: async () => true };
  throw new IamTokensError(
    "ERR_USAGE",
    "The identity service that issued the token is not given.",
    {
      remedy: "Add --auth-url ADDRESS, or set OS_AUTH_URL or OS_CLOUD.",
    },
  );
}

async function addressIn(context: ProcessContext): Promise<AuthUrl | UnresolvedUrl | undefined> {
  const address = variableOf(context, "OS_AUTH_URL");
  if (address !== undefined) return named("OS_AUTH_URL", () => parseSharedAuthUrl(address));
  return variableOf(context, "OS_CLOUD") === undefined ? undefined : addressOfCloud(context);
}

/**
 * The address of the cloud that OS_CLOUD names. A file of the project, which may be a clone of
 * somebody's repository, must not decide where a token from elsewhere is sent: the cloud must have
 * the same address without the files of this folder, or the list of allowed addresses decides.
 */
async function addressOfCloud(context: ProcessContext): Promise<AuthUrl | UnresolvedUrl> {
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
