import fc from "fast-check";

/** The seed of every property: a failure can be repeated. */
const SEED = 20_261_121;

const [, count, unit] = /^([1-9]\d*)(s?)$/.exec(process.env.IAM_TOKENS_FUZZ ?? "") ?? [];
// A property creates and catches thousands of errors, whose stack traces are not used; jest would
// record a hundred calls of each.
Error.stackTraceLimit = 10;
// A property ends in time by its own limit; jest's limit is longer by the one run in progress.
if (count !== undefined)
  jest.setTimeout(unit === "s" ? Number(count) * 1000 + 60_000 : 2 ** 31 - 1);

/** `npm test` takes one case of so many, .ci/run and a file that runs alone take all (test/run.mjs). */
const ONE_OF = Number(process.env.IAM_TOKENS_TEST_ONE_OF ?? 1);
export const isPart = ONE_OF > 1;

/** The cases of a table that has very many. */
export const someOf = <Case>(cases: readonly Case[], first = 0): readonly Case[] =>
  cases.filter((_, index) => (index + first) % ONE_OF === 0);

/**
 * The parameters of a property: `runs` cases, always the same, in a second or two.
 * IAM_TOKENS_FUZZ=100000 sets their number, IAM_TOKENS_FUZZ=60s a duration, and
 * IAM_TOKENS_FUZZ_SEED another seed. A failure is reported with its seed and path.
 */
export function fuzz(runs = 1000) {
  const seed = Number(process.env.IAM_TOKENS_FUZZ_SEED ?? SEED);
  if (count === undefined) return { seed, numRuns: Math.ceil(runs / ONE_OF) };
  return unit === "s"
    ? { seed, numRuns: 2 ** 31 - 1, interruptAfterTimeLimit: Number(count) * 1000 }
    : { seed, numRuns: Number(count) };
}

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * The `unit` of strings of any characters. fast-check's own "binary" is the same, but first makes a
 * table of all 1,112,064, which takes a second in each file.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (character) => {
    const code = typeof character === "string" ? (character.codePointAt(0) ?? -1) : -1;
    if (code < 0 || character !== String.fromCodePoint(code)) throw new Error("Not a character.");
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);

const PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Strings of a part of an address: with its own signs, and now and then an encoded character. */
const inUrl = (signs: string) =>
  fc.string({
    // Short ones, that are often empty.
    size: "-1",
    unit: fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...PLAIN, ...signs) },
      { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
    ),
  });

/**
 * Addresses with https. fast-check's own `webUrl` gives the same, and makes that table for their
 * encoded characters.
 */
export const webUrl = fc
  .tuple(fc.webAuthority(), fc.array(inUrl("-._~!$&'()*+,;=:@")))
  .map(([authority, segments]) => `https://${[authority, ...segments].join("/")}`);

export const webUrlWithQuery = fc
  .tuple(webUrl, fc.option(inUrl("-._~!$&'()*+,;=:@/?")))
  .map(([url, query]) => (query === null ? url : `${url}?${query}`));
