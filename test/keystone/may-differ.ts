import type { Headers } from "./recorded-exchange";

/**
 * An answer as a client sees it, without the parts that may differ between two services of the same
 * behaviour. Of a 400's message the text is left out: it quotes requests as Python prints them.
 */
export interface Seen {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
  /** Of a 400, its shape. */
  readonly body: string;
}

/** Members and types; of a list, its first item. */
export function shapeOf(value: unknown): unknown {
  if (value === null) return "null";
  if (Array.isArray(value)) return [shapeOf(value[0])];
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}

/**
 * Header lines that may differ as a whole: who serves, and whether the connection is kept, which
 * the client decides as well.
 */
const HEADERS_THAT_MAY_DIFFER: readonly string[] = ["server", "connection"];

/** Parts of texts that may differ, and what stands for them: the one list of it. */
const TEXTS_THAT_MAY_DIFFER: readonly (readonly [what: string, text: RegExp, instead: string])[] = [
  ["tokens", /<token: (\d+) chars>/g, "TOKEN($1)"],
  ["the address", /https?:\/\/(127\.0\.0\.1:\d+|identity\.invalid)/g, "ADDRESS"],
  ["ids of users, accounts, projects, roles and catalog entries", /\b[0-9a-f]{32}\b/g, "ID"],
  ["ids of requests", /\breq-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "REQUEST"],
  ["audit ids", /"[\w-]{22}"/g, '"AUDIT"'],
  ["times in bodies", /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z/g, "TIME"],
  [
    "times in headers",
    /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g,
    "DATE",
  ],
];

/** @param answer header names as they were written, or all in lower case */
export function whatIsSeen(answer: {
  readonly status: number;
  readonly reason: string;
  readonly headers: Headers;
  readonly body: string;
}): Seen {
  const headers = answer.headers
    .filter(([name]) => !HEADERS_THAT_MAY_DIFFER.includes(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${replaced(headerValue(name, value))}`)
    // Their order means nothing.
    .sort();
  const { status, reason } = answer;
  const shape = () => JSON.stringify(shapeOf(JSON.parse(answer.body)));
  return { status, reason, headers, body: status === 400 ? shape() : replaced(answer.body) };
}

function headerValue(name: string, value: string): string {
  switch (name.toLowerCase()) {
    case "allow":
      // Keystone's own order changes from start to start.
      return value.split(", ").sort().join(", ");
    case "x-subject-token":
      return value.startsWith("<") ? value : `<token: ${value.length} chars>`;
    case "content-length":
      // Of what is cut out the length may differ: whether it is the body's own is seen elsewhere.
      return "LENGTH";
    default:
      return value;
  }
}

function replaced(text: string): string {
  return TEXTS_THAT_MAY_DIFFER.reduce(
    (changed, [, found, instead]) => changed.replace(found, instead),
    text,
  );
}
