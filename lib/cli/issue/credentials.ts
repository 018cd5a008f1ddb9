import {
  type CredentialDescription,
  PIECES,
  variablesGiving,
} from "../../provider/credentials/credential-description";
import { type ProviderBlock, toProviderBlock } from "../../provider/credentials/provider-block";
import {
  type ProcessContext,
  takeVariables,
  variableOf,
} from "../../provider/process/process-context";
import { cloudRequest, describeCredentials } from "../../provider/sources/describe-credentials";
import { ERROR_CODES, IamTokensError, type Secret } from "../../tokens";

/** Prompts for a password; undefined if nobody can answer. */
export type AskPassword = (user: string) => Promise<Secret | undefined>;

/** Replaces OS_PASSWORD while the rest is looked up, and is never sent. */
const ELSEWHERE = "given elsewhere";

/**
 * The credentials for a call of the command: those of an empty provider block, or of one that names
 * a cloud. A password file on the command line, or a typed password, replaces OS_PASSWORD: the
 * caller chooses everything else as well.
 *
 * @throws as describeCredentials
 */
export async function describeForCommand(
  { cloud, passwordFile }: { readonly cloud?: string; readonly passwordFile?: string },
  context: ProcessContext,
  ask: AskPassword,
): Promise<CredentialDescription> {
  const block = toProviderBlock({ cloud: cloud ?? null });
  const inCloud = cloudRequest(block, context) !== undefined;
  if (!inCloud) assertAnyGiven(context);
  const given = inCloud || variableOf(context, "OS_PASSWORD") !== undefined;
  if (passwordFile === undefined && given) return describe(block, context);
  if (inCloud) {
    throw new IamTokensError(
      "ERR_CREDENTIALS_MIXED",
      "--password-file is given with a cloud, which has its own password.",
      {
        remedy:
          "Write the password into secure.yaml, next to clouds.yaml, or give the credentials in the OS_ variables.",
      },
    );
  }
  if (passwordFile === undefined && variableOf(context, "OS_USERNAME") === undefined)
    return describe(block, context);
  const description = await describe(block, {
    ...context,
    variables: takeVariables({ ...context.variables, OS_PASSWORD: ELSEWHERE }),
  });
  if (passwordFile !== undefined) {
    return {
      ...description,
      password: { kind: "file", path: passwordFile, origin: "--password-file" },
    };
  }
  const typed = await ask(description.userName);
  if (typed === undefined) {
    throw new IamTokensError(
      "ERR_CREDENTIALS_MISSING",
      "OS_PASSWORD is not set, and there is no terminal for a password prompt.",
      { remedy: "Set OS_PASSWORD, or name the file that holds it with --password-file." },
    );
  }
  return {
    ...description,
    password: { kind: "value", value: typed, origin: "The typed password" },
  };
}

const ALL_OF_IT =
  "Set OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD, or name an entry of clouds.yaml with --cloud.";

function assertAnyGiven(context: ProcessContext): void {
  if (PIECES.some((piece) => variablesGiving(piece, context).length > 0)) return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    "The environment does not give address, account or user, and no cloud is selected.",
    { remedy: ALL_OF_IT },
  );
}

/** The provider's description, in the words of a command without a provider block. */
async function describe(
  block: ProviderBlock,
  context: ProcessContext,
): Promise<CredentialDescription> {
  try {
    return await describeCredentials(block, context);
  } catch (error) {
    const { remedy } = ERROR_CODES.ERR_CREDENTIALS_MISSING;
    if (!IamTokensError.is(error) || error.remedy !== remedy) throw error;
    throw new IamTokensError(error.code, error.problem, { remedy: ALL_OF_IT });
  }
}
