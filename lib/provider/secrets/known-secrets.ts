import { escaped } from "../../tokens";

/** The spellings of the secrets that this process has read, as they may occur in a message. */
const known = new Set<string>();
/** Bounded, because a pipeline's provider may run for long. */
const MOST = 40_000;

/**
 * Registers a secret for {@link masked}. Anything shorter or simpler may be a word of a message,
 * and its absence would show it.
 */
export function rememberSecret(text: string): void {
  const isDistinctive = text.length >= 16 || (text.length >= 8 && /[^a-z]/i.test(text));
  if (!isDistinctive || known.size >= MOST) return;
  // In quotes, in an address, and as a host, which is in lower case.
  const quoted = escaped(text).slice(1, -1);
  for (const form of [text, quoted, encodeURI(text), text.toLowerCase()]) known.add(form);
}

/**
 * A text without secrets: a module may pass a static token as the name of a project, a file or a
 * host, and Terraform, which knows it as ephemeral, would print it. It finds accidents only:
 * another spelling stays.
 */
export function masked(text: string): string {
  let clean = text;
  for (const secret of known) {
    // Long names are shortened in messages.
    const beginning = secret.slice(0, BEGINNING);
    let at = clean.indexOf(beginning);
    while (at >= 0) {
      let end = at + beginning.length;
      while (end - at < secret.length && clean[end] === secret[end - at]) end += 1;
      clean = clean.slice(0, at) + SENSITIVE + clean.slice(end);
      at = clean.indexOf(beginning, at + SENSITIVE.length);
    }
  }
  return clean;
}

/** Characters by which a secret is recognized. */
const BEGINNING = 24;

/** Stands for a secret in a message. */
export const SENSITIVE = "(sensitive)";
