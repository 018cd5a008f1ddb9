import { assertAllowedAuthUrl } from "../../provider/credentials/allowed-auth-urls";
import { cloudRequest, describeCredentials } from "../../provider/credentials/credentials";
import { type ProviderBlock, toProviderBlock } from "../../provider/credentials/provider-block";
import { type CredentialDescription, nameOf } from "../../provider/credentials/source";
import {
  type ProcessContext,
  takeVariables,
  variableOf,
  variablesGiving,
} from "../../provider/process/process-context";
import type { SecretReference } from "../../provider/secrets/secret-reference";
import { ERROR_CODES, IamTokensError, type Secret } from "../../tokens";
import { isSecretArgument, PARTS, type Part, WAYS } from "../../tokens/ways";

/** Prompts for a password; undefined if nobody can answer. */
export type AskPassword = (user: string) => Promise<Secret | undefined>;

/** Replaces OS_PASSWORD while the rest is looked up, and is never sent. */
const ELSEWHERE = "given elsewhere";

/** The options that say who requests the token. */
export interface IdentityOptions {
  readonly cloud?: string;
  readonly authUrl?: string;
  readonly account?: string;
  readonly user?: string;
  readonly passwordEnv?: string;
  readonly passwordFile?: string;
}

/**
 * The credentials for a call of the command: those of its options; otherwise those of an empty
 * provider block, or of one that names a cloud. A named or typed password replaces OS_PASSWORD: the
 * caller chooses everything else as well.
 *
 * @throws as describeCredentials
 */
export async function describeForCommand(
  options: IdentityOptions,
  context: ProcessContext,
  ask: AskPassword,
): Promise<CredentialDescription> {
  const { cloud, authUrl, account, user } = options;
  const password = namedPassword(options);
  if (authUrl !== undefined) {
    const block = { auth_url: authUrl, account_id: account ?? null, user_name: user ?? null };
    const whole = toProviderBlock({ ...block, password: ELSEWHERE });
    const description = await describeCredentials(whole, context);
    return {
      ...description,
      secret: password ?? (await typed(description, context, ask, "The password")),
    };
  }
  const block = toProviderBlock({ cloud: cloud ?? null });
  const inCloud = cloudRequest(block, context) !== undefined;
  if (!inCloud) assertAnyGiven(context);
  const isGiven = (part: Part) => variablesGiving(part, context).length > 0;
  if (password === undefined && (inCloud || NEED_NO_PASSWORD.some(isGiven)))
    return describe(block, context);
  if (inCloud) {
    throw new IamTokensError(
      "ERR_CREDENTIALS_MIXED",
      `${password?.origin} is given with a cloud, which has its own password.`,
      {
        remedy:
          "Write the password into secure.yaml, next to clouds.yaml, or give the credentials in the OS_ variables.",
      },
    );
  }
  if (password === undefined && variableOf(context, "OS_USERNAME") === undefined)
    return describe(block, context);
  const description = await describe(block, {
    ...context,
    variables: takeVariables({ ...context.variables, OS_PASSWORD: ELSEWHERE }),
  });
  return {
    ...description,
    secret: password ?? (await typed(description, context, ask, "OS_PASSWORD")),
  };
}

function namedPassword({
  passwordEnv: name,
  passwordFile: path,
}: IdentityOptions): SecretReference | undefined {
  if (name !== undefined) return { kind: "env", name, origin: "--password-env" };
  return path === undefined ? undefined : { kind: "file", path, origin: "--password-file" };
}

async function typed(
  description: CredentialDescription,
  context: ProcessContext,
  ask: AskPassword,
  missing: string,
): Promise<SecretReference> {
  assertAllowedAuthUrl(description.authUrl, context);
  const value = await ask(nameOf(description));
  if (value !== undefined) return { kind: "value", value, origin: "The typed password" };
  throw new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `${missing} is not set, and there is no terminal for a password prompt.`,
    { remedy: "Name the variable or the file that holds it: --password-env or --password-file." },
  );
}

/** The password itself, and the parts of the ways without one. */
const NEED_NO_PASSWORD = PARTS.filter(
  ({ argument }) =>
    isSecretArgument(argument) || !WAYS[0].parts.some((part) => part.argument === argument),
);

const ALL_OF_IT =
  "Set OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD, or name an entry of clouds.yaml with --cloud.";

function assertAnyGiven(context: ProcessContext): void {
  if (PARTS.some((part) => variablesGiving(part, context).length > 0)) return;
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
