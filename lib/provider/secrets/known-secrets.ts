import { defined, escaped, IamTokensError, quote } from "../../tokens";

/** Secrets that this process has read; bounded, because a pipeline's provider may run for long. */
const known = new Set<string>();
const MOST = 10_000;

/** Registers a secret for {@link masked}. */
export function rememberSecret(text: string): void {
  if (known.size < MOST) known.add(text);
}

/**
 * A text without secrets: a module may pass a static token as the name of a project, a file or a
 * host, and Terraform, which knows it as ephemeral, would print it.
 */
export function masked(text: string): string {
  const names = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (name) =>
    isSecret(name) ? `"${SENSITIVE}"` : name,
  );
  return [...known].filter(isDistinctive).reduce((clean, secret) => {
    const forms = new Set([secret, escaped(secret).slice(1, -1), inAddress(secret)]);
    return [...forms].reduce(withoutForm, clean);
  }, names);
}

/** The same for a name, which may be a secret as a whole. */
export function maskedName(name: string): string {
  return known.has(name) ? SENSITIVE : masked(name);
}

/** The same for the parts of an error. */
export function withoutSecrets(error: IamTokensError): IamTokensError {
  const { code, problem, allowed, remedy, headline } = error;
  const clean = masked(problem);
  if (clean === problem) return error;
  return new IamTokensError(code, clean, {
    remedy: masked(remedy),
    ...defined({
      allowed,
      headline: headline === undefined ? undefined : masked(headline),
    }),
  });
}

const SENSITIVE = "(sensitive)";

/** Long names are shortened in messages, so the beginning of a secret counts. */
const BEGINNING = 24;

function isSecret(name: string): boolean {
  for (const secret of known) if (quote(secret) === name) return true;
  return false;
}

/** Anything shorter or simpler may be a word of a message, and its absence would show it. */
function isDistinctive(secret: string): boolean {
  return secret.length >= 16 || (secret.length >= 8 && /[^a-z]/i.test(secret));
}

function inAddress(secret: string): string {
  try {
    return encodeURI(secret);
  } catch {
    // Not well-formed Unicode.
    return secret;
  }
}

/** Hosts are in lower case, whatever a configuration says. */
function withoutForm(text: string, form: string): string {
  const [inText, inForm] = [text.toLowerCase(), form.toLowerCase()];
  // Rare letters change their length.
  if (inText.length !== text.length) return text.replaceAll(form, SENSITIVE);
  let clean = "";
  let from = 0;
  for (;;) {
    const found = inText.indexOf(inForm.slice(0, BEGINNING), from);
    if (found < 0) return clean + text.slice(from);
    let length = 0;
    while (length < inForm.length && inText[found + length] === inForm[length]) length += 1;
    clean += text.slice(from, found) + SENSITIVE;
    from = found + length;
  }
}
