import type { IssuedToken } from "../identity";
import { readCredential } from "../provider/credentials/credentials";
import type { CredentialDescription } from "../provider/credentials/source";
import { type toIamTokenArguments, toScope } from "../provider/objects/iam-token-arguments";
import { createIdentityAccess } from "../provider/process/identity-access";
import type { ProcessContext } from "../provider/process/process-context";
import { SecretReader } from "../provider/secrets/secret-reader";
import { defined } from "../tokens";

/**
 * Issues a token of its own, by the provider's rules; nothing of it is kept. `tookMs` is the
 * service's part: without the time that a secret's source takes.
 */
export async function issueToken(
  description: CredentialDescription,
  wanted: ReturnType<typeof toIamTokenArguments>,
  context: ProcessContext,
): Promise<{ readonly issued: IssuedToken; readonly tookMs: number }> {
  const scope = toScope(wanted, description, context);
  const identity = createIdentityAccess(context);
  const reading = { signal: new AbortController().signal, log: () => {} };
  try {
    const reader = new SecretReader(context, identity);
    const { credential, tls } = await readCredential(description, context, reader, reading);
    const minRemainingMs = wanted.minRemainingMs ?? undefined;
    const started = performance.now();
    const client = identity.client(reading.log);
    const request = { credential, scope, ...defined({ tls, minRemainingMs }) };
    const issued = await client.issueOwn(request, reading.signal);
    return { issued, tookMs: performance.now() - started };
  } finally {
    await identity.close();
  }
}
