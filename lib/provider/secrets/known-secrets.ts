import { defined, escaped, IamTokensError, quote } from "../../tokens";

/** The spellings of the secrets that this process has read, as they may occur in a message. */
const known = new Set<string>();
const quoted = new Set<string>();
/** Those of distinctive secrets, each with its lower case. */
const forms = new Map<string, string>();
/** Bounded, because a pipeline's provider may run for long. */
const MOST = 10_000;

/** Registers a secret for {@link masked}. */
export function rememberSecret(text: string): void {
  if (known.size >= MOST || known.has(text)) return;
  known.add(text);
  quoted.add(quote(text));
  // Messages are shorter than the beginning that is compared.
  const beginning = text.slice(0, MESSAGE_LENGTH);
  if (isDistinctive(text))
    for (const form of [beginning, escaped(beginning).slice(1, -1), inAddress(beginning)])
      forms.set(form, form.toLowerCase());
}

/** No message is printed beyond a part of this: see `bounded` in configuration/diagnostics.ts. */
const MESSAGE_LENGTH = 65_536;

/**
 * A text without secrets: a module may pass a static token as the name of a project, a file or a
 * host, and Terraform, which knows it as ephemeral, would print it. It finds accidents only: a part
 * of a secret, or another spelling, stays.
 */
export function masked(text: string): string {
  const names = withoutNames(text.slice(0, MESSAGE_LENGTH));
  let clean = names;
  let lower = clean.toLowerCase();
  for (const [form, inLowerCase] of forms) {
    // Rare letters change their length.
    const sameLength = lower.length === clean.length;
    if (!(sameLength ? lower.includes(inLowerCase.slice(0, BEGINNING)) : clean.includes(form)))
      continue;
    clean = sameLength ? withoutForm(clean, lower, inLowerCase) : clean.replaceAll(form, SENSITIVE);
    lower = clean.toLowerCase();
  }
  return clean;
}

/** Without names in quotes that are a secret as a whole, however simple. */
function withoutNames(text: string): string {
  // Not replaceAll: after a quote that nothing closes, that would try again at each later one.
  const name = /"(?:[^"\\]|\\.)*"/sy;
  let clean = "";
  let from = 0;
  for (;;) {
    name.lastIndex = text.indexOf('"', from);
    const [found] = (name.lastIndex < 0 ? null : name.exec(text)) ?? [];
    if (found === undefined) return clean + text.slice(from);
    const start = name.lastIndex - found.length;
    clean += text.slice(from, start) + (quoted.has(found) ? `"${SENSITIVE}"` : found);
    from = name.lastIndex;
  }
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

/** Stands for a secret in a message. */
export const SENSITIVE = "(sensitive)";

/** Long names are shortened in messages, so the beginning of a secret counts. */
const BEGINNING = 24;

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
function withoutForm(text: string, inText: string, inForm: string): string {
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
