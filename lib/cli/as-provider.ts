import type { CtyObject } from "../plugin/cty/value";
import { rememberSecretsIn } from "../provider/credentials/environment-source";
import { readCredential } from "../provider/credentials/read-credential";
import type { CredentialDescription } from "../provider/credentials/source";
import { minRemainingOf, TERMS, toWanted } from "../provider/objects/wanted";
import { createIdentityAccess } from "../provider/process/identity-access";
import { type ProcessContext, takeVariables } from "../provider/process/process-context";
import { SecretReader } from "../provider/secrets/secret-reader";
import { defined } from "../tokens";
import type { CliContext } from "./cli-context";

// Commands read credentials and issue tokens as a provider in this folder would.

/** The process context of a provider that Terraform would start in a folder. */
export function processContextIn(workingFolder: string, env: CliContext["env"]): ProcessContext {
  const variables = takeVariables(env);
  const context = { variables, workingFolder, attached: false, isOurs: true } as const;
  rememberSecretsIn(context);
  return context;
}

/** Issues a token of its own; nothing of it is kept. */
export async function issueToken(
  description: CredentialDescription,
  wanted: CtyObject,
  context: ProcessContext,
) {
  const identity = createIdentityAccess(context);
  const { signal } = new AbortController();
  try {
    const reader = new SecretReader(context, identity);
    const read = await readCredential(description, context, reader, { signal, log: () => {} });
    const request = toWanted(wanted, description, context);
    const minRemainingMs = minRemainingOf(wanted);
    return await identity
      .client(() => {})
      .issueOwn({ ...read, ...request, terms: TERMS, ...defined({ minRemainingMs }) }, signal);
  } finally {
    await identity.close();
  }
}
