import type { IssuedToken } from "../identity";
import type { CredentialDescription } from "../provider/credentials/credential-description";
import { readCredential } from "../provider/credentials/read-credential";
import { type toIamTokenArguments, toScope } from "../provider/objects/iam-token-arguments";
import { createIdentityAccess } from "../provider/process/identity-access";
import type { ProcessContext } from "../provider/process/process-context";
import { SecretReader } from "../provider/secrets/secret-reader";
import { defined } from "../tokens";

/** Issues a token of its own, by the provider's rules; nothing of it is kept. */
export async function issueToken(
  description: CredentialDescription,
  wanted: ReturnType<typeof toIamTokenArguments>,
  context: ProcessContext,
): Promise<IssuedToken> {
  const scope = toScope(wanted, description, context);
  const identity = createIdentityAccess(context);
  const reading = { signal: new AbortController().signal, log: () => {} };
  try {
    const reader = new SecretReader(context, identity);
    const { credential, tls } = await readCredential(description, context, reader, reading);
    const minRemainingMs = wanted.minRemainingMs ?? undefined;
    const client = await identity.client(reading.log);
    return await client.issueOwn(
      { credential, scope, ...defined({ tls, minRemainingMs }) },
      reading.signal,
    );
  } finally {
    await identity.close();
  }
}
