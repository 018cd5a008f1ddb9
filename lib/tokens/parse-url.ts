/**
 * A text as a URL, or undefined when it is none.
 *
 * Not `URL.canParse`: that of Node.js 20 says no to a host with Latin letters (`bücher.example`) as
 * soon as the code that asks has been optimized.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
