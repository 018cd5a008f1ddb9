import { IamTokensError, quote } from "../../tokens";

/** What this process has read as a secret; bounded, for a provider of a long pipeline. */
const known = new Set<string>();
const MOST = 10_000;

/** From now on {@link withoutSecrets} knows it. */
export function rememberSecret(text: string): void {
  if (known.size < MOST) known.add(text);
}

/**
 * An error without names that are secrets: a module may give a static token as the name of a
 * project, and Terraform, which holds it as ephemeral, would have it printed.
 */
export function withoutSecrets(error: IamTokensError): IamTokensError {
  const { code, problem, allowed, remedy } = error;
  const clean = problem.replaceAll(/"(?:[^"\\]|\\.)*"/g, (name) =>
    isSecret(name) ? '"(sensitive)"' : name,
  );
  if (clean === problem) return error;
  return new IamTokensError(code, clean, { remedy, ...(allowed === undefined ? {} : { allowed }) });
}

function isSecret(name: string): boolean {
  for (const secret of known) if (quote(secret) === name) return true;
  return false;
}
