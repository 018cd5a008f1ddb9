/** The secrets that this process has read or issued, each with its pattern from the first message on. */
const known = new Map<string, RegExp | undefined>();
/** Bounded, because a pipeline's provider may run for long. */
const MOST = 20_000;

/**
 * Registers a secret for {@link masked}. A shorter or simpler one may be an ordinary word: masking
 * that word would reveal it.
 */
export function rememberSecret(text: string): void {
  const isDistinctive = text.length >= 16 || (text.length >= 8 && /[^a-z]/i.test(text));
  if (isDistinctive && known.size < MOST && !known.has(text)) known.set(text, undefined);
}

/**
 * A string without secrets: a module may pass a token as the name of a project, a file or a host,
 * and Terraform, which knows it as ephemeral, would print it. It finds accidents only.
 */
export function masked(text: string): string {
  let clean = text;
  for (const [secret, before] of known) {
    const pattern = before ?? patternOf(secret);
    known.set(secret, pattern);
    clean = clean.replace(pattern, SENSITIVE);
  }
  return clean;
}

/** Characters by which a secret is recognized: long names are shortened in messages. */
const BEGINNING = 24;

/** Stands for a secret in a message. */
export const SENSITIVE = "(sensitive)";

/** Characters of a message: no more of a secret can be in one. */
const LONGEST = 3_000;

/** What follows the beginning of a secret that a message has cut. */
const REST = String.raw`(?:\\.|[^\s"'>;\u2026\\])*`;

/** A secret, or its beginning with what follows, in any case: hosts are in lower case. */
function patternOf(secret: string): RegExp {
  // Of two units each, so that no character is cut.
  const characters = [...Buffer.from(secret.slice(0, 2 * LONGEST)).toString()];
  const [whole, beginning] = [LONGEST, BEGINNING].map((count) =>
    formsOf(characters.slice(0, count).join("")),
  );
  return new RegExp(`${whole}|(?:${beginning})${REST}`, "gi");
}

/** As it is, in quotes, or in an address. */
function formsOf(text: string): string {
  const forms = [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURI(text),
    encodeURIComponent(text),
  ];
  return forms.map((form) => form.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
}

// npm run lint judges the patterns that a module makes when it is loaded: this one is as all others.
patternOf("+".repeat(BEGINNING + 1));
