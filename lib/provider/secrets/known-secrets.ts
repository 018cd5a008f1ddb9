import { IamTokensError, quote } from "../../tokens";

/** Secrets that this process has read; bounded, because a pipeline's provider may run for long. */
const known = new Set<string>();
const MOST = 10_000;

/** Registers a secret for {@link withoutSecrets}. */
export function rememberSecret(text: string): void {
  if (known.size < MOST) known.add(text);
}

/**
 * An error without names that are secrets: a module may pass a static token as the name of a
 * project, and Terraform, which knows it as ephemeral, would print it.
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
