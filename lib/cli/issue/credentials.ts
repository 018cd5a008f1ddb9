import {
  type CredentialDescription,
  PIECES,
  variablesGiving,
} from "../../provider/credentials/credential-description";
import { type ProviderBlock, toProviderBlock } from "../../provider/credentials/provider-block";
import { type Surroundings, variableOf } from "../../provider/process/surroundings";
import { cloudRequest, describeCredentials } from "../../provider/sources/describe-credentials";
import { ERROR_CODES, IamTokensError, type Secret } from "../../tokens";

/** Asks a person for a password; undefined when there is nobody to ask. */
export type AskPassword = (user: string) => Promise<Secret | undefined>;

/** Stands in for OS_PASSWORD while the rest is looked up, and is never sent. */
const ELSEWHERE = "given elsewhere";

/**
 * Whose credentials a call of the command uses: those that an empty provider block, or one that
 * names a cloud, would use. A password file that the command line names, or a password that is
 * typed, takes the place of OS_PASSWORD: who calls the command says all of it.
 *
 * @throws as describeCredentials
 */
export async function describeForCommand(
  { cloud, passwordFile }: { readonly cloud?: string; readonly passwordFile?: string },
  surroundings: Surroundings,
  ask: AskPassword,
): Promise<CredentialDescription> {
  const block = toProviderBlock({ cloud: cloud ?? null });
  const inCloud = cloudRequest(block, surroundings) !== undefined;
  if (!inCloud) assertAnyGiven(surroundings);
  const given = inCloud || variableOf(surroundings, "OS_PASSWORD") !== undefined;
  if (passwordFile === undefined && given) return describe(block, surroundings);
  if (inCloud) {
    throw new IamTokensError(
      "ERR_CREDENTIALS_MIXED",
      "--password-file is given with a cloud, which gives the password itself.",
      {
        remedy:
          "Put the password into secure.yaml, beside clouds.yaml, or give the credentials by the OS_ variables.",
      },
    );
  }
  if (passwordFile === undefined && variableOf(surroundings, "OS_USERNAME") === undefined)
    return describe(block, surroundings);
  const description = await describe(block, {
    ...surroundings,
    variables: { ...surroundings.variables, OS_PASSWORD: ELSEWHERE },
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
      "OS_PASSWORD is not set, and there is no terminal to ask for the password at.",
      { remedy: "Set OS_PASSWORD, or name the file that holds it with --password-file." },
    );
  }
  return {
    ...description,
    password: { kind: "value", value: typed, origin: "The password that was typed" },
  };
}

const ALL_OF_IT =
  "Set OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD, or name an entry of clouds.yaml with --cloud.";

function assertAnyGiven(surroundings: Surroundings): void {
  if (PIECES.some((piece) => variablesGiving(piece, surroundings).length > 0)) return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    "The environment gives none of address, account and user, and no cloud is named.",
    { remedy: ALL_OF_IT },
  );
}

/** As the provider has it, in the words of a command that has no provider block. */
async function describe(
  block: ProviderBlock,
  surroundings: Surroundings,
): Promise<CredentialDescription> {
  try {
    return await describeCredentials(block, surroundings);
  } catch (error) {
    const { remedy } = ERROR_CODES.ERR_CREDENTIALS_MISSING;
    if (!IamTokensError.is(error) || error.remedy !== remedy) throw error;
    throw new IamTokensError(error.code, error.problem, { remedy: ALL_OF_IT });
  }
}
