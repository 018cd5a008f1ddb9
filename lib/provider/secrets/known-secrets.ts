/**
 * The secrets that this process has read or issued, each with the one spelling of {@link spelled}
 * from the first message on: most plans print none.
 */
const known = new Map<string, string | undefined>();
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
 * and Terraform, which knows it as ephemeral, would print it. It finds accidents only: other
 * encodings than those of {@link ENCODED} stay.
 */
export function masked(text: string): string {
  if (known.size === 0) return text;
  const { text: plain, places } = spelled(text);
  const found: (readonly [from: number, to: number])[] = [];
  for (const [original, before] of known) {
    const secret = before ?? spelled(original).text;
    known.set(original, secret);
    // Long names are shortened in messages.
    const beginning = secret.slice(0, BEGINNING);
    let end = 0;
    for (let at = plain.indexOf(beginning); at >= 0; at = plain.indexOf(beginning, end)) {
      end = at + beginning.length;
      while (end - at < secret.length && plain[end] === secret[end - at]) end += 1;
      found.push([places[at] ?? 0, places[end] ?? text.length]);
    }
  }
  let clean = "";
  let after = 0;
  for (const [from, to] of found.sort(([one], [other]) => one - other)) {
    if (from >= after) clean += text.slice(after, from) + SENSITIVE;
    after = Math.max(after, to);
  }
  return clean + text.slice(after);
}

/** Characters by which a secret is recognized. */
const BEGINNING = 24;

/** Stands for a secret in a message. */
export const SENSITIVE = "(sensitive)";

/** In an address (percent-encoded UTF-8), and in quotes. */
const ENCODED =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|\\u[\da-f]{4}|\\["\\bfnrt]/gi;
/** An encoded text may have been encoded again. */
const PASSES = 3;

interface Spelled {
  readonly text: string;
  /** Where each character begins in the original. */
  readonly places: readonly number[];
}

/** A string in one spelling: decoded, in lower case, and with blanks for `+`. */
function spelled(original: string): Spelled {
  let text = folded(original);
  let places: readonly number[] = Array.from({ length: text.length }, (_, index) => index);
  for (let pass = 0; pass < PASSES && /[%\\]/.test(text); pass++) {
    let next = "";
    let from = 0;
    const at: number[] = [];
    const take = (meaning: string, place: (index: number) => number | undefined): void => {
      next += meaning;
      for (let index = 0; index < meaning.length; index++) at.push(place(index) ?? 0);
    };
    for (const { 0: code, index } of text.matchAll(ENCODED)) {
      take(text.slice(from, index), (offset) => places[from + offset]);
      take(meaningOf(code), () => places[index]);
      from = index + code.length;
    }
    take(text.slice(from), (offset) => places[from + offset]);
    text = folded(next);
    places = at;
  }
  return { text, places };
}

function meaningOf(code: string): string {
  try {
    return code.startsWith("%") ? decodeURIComponent(code) : JSON.parse(`"${code}"`);
  } catch {
    return code;
  }
}

/** Hosts are in lower case. The length stays. */
function folded(text: string): string {
  return text.replaceAll("+", " ").replace(/\p{Lu}/gu, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
}
