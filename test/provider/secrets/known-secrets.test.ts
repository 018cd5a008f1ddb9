import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { toDiagnostic, warning } from "../../../lib/provider/configuration/diagnostics";
import { masked } from "../../../lib/provider/secrets/known-secrets";
import { secretOfText } from "../../../lib/provider/secrets/read-secret";
import { IamTokensError, quote } from "../../../lib/tokens";
import { expectOften } from "../../support/expect-often";
import { fuzz } from "../../support/fuzz";

describe("a secret that was read is not in a message", () => {
  const secret = 'Canary9/static"token\\with::set-more-than-80-characters-é'.padEnd(120, "x");
  test.each([
    { what: "a variable's name", problem: `The environment variable ${secret} is not set.` },
    { what: "part of a path", problem: `here that is ${quote(`/stack/${secret}`, "path")}.` },
    { what: "part of a long name", problem: `for project ${quote(`pre-${secret}`)}.` },
    { what: "part of an address", problem: `https://a.test/${encodeURI(secret)} answered 404.` },
    { what: "a host", problem: `The connection to ${secret.toLowerCase()}.example failed.` },
  ])("as $what", ({ problem }) => {
    secretOfText("the variable STATIC_TOKEN", `${secret}\n`);
    const details = { headline: problem, remedy: problem };
    const { summary, detail } = toDiagnostic(
      new IamTokensError("ERR_SECRET_MISSING", problem, details),
    );
    const said = [summary, detail, warning(problem, problem).summary, masked(problem)].join("\n");
    expect(said).toMatch(/\(sensitive\)/);
    expect(said).not.toMatch(/canary9|more-than|xxx/i);
  });
});

/** Letters that this process has never had in a secret: it forgets none. */
const fresh = (count: number): string =>
  Array.from(randomBytes(count), (byte) => String.fromCharCode(97 + (byte % 26))).join("");

test.each<{ what: string; secret: string; hidden: boolean }>([
  { what: "sixteen letters", secret: fresh(16), hidden: true },
  { what: "fifteen letters", secret: fresh(15), hidden: false },
  { what: "seven letters and a digit", secret: `${fresh(7)}1`, hidden: true },
  { what: "six letters and a digit", secret: `${fresh(6)}1`, hidden: false },
  {
    what: "a long one, whose last character is two units",
    secret: `${fresh(30)} ${fresh(2_968)}😀`,
    hidden: true,
  },
  { what: "our own word for a secret", secret: "(sensitive)", hidden: true },
])("$what: hidden $hidden, as it could be a word of a message", ({ secret, hidden }) => {
  secretOfText("the variable ANY", secret);
  expect(masked(`of <${secret}>.`)).toBe(`of <${hidden ? "(sensitive)" : secret}>.`);
});

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "in quotes": (text) => JSON.stringify(text).slice(1, -1),
  "by encodeURI": encodeURI,
  "by encodeURIComponent": encodeURIComponent,
};

test("a secret is hidden in each of its spellings, and in lower case; the rest of the message stays", () => {
  const character = fc.oneof(
    fc.constantFrom(..." !\"#$%&'()*+,-./:;<=>?@[]^_`{|}~\\"),
    fc.constantFrom(..."0aBcXyZ9"),
    fc.constantFrom("é", "Ω", "漢", "😀"),
  );
  let count = 0;
  const secrets = fc
    .array(character, { minLength: 20, maxLength: 60 })
    // This process forgets none, and must not find another one in it.
    .map((characters) => `no-${count++}-${characters.join("")}`);
  const encodings = fc.constantFrom(...Object.keys(ENCODINGS));
  const property = fc.property(secrets, encodings, fc.boolean(), (secret, name, small) => {
    secretOfText("the variable ANY", secret);
    const encoded = ENCODINGS[name]?.(secret) ?? secret;
    const message = `of <${small ? encoded.toLowerCase() : encoded}>.`;
    expectOften(masked(message)).toBe("of <(sensitive)>.");
  });
  fc.assert(property, fuzz());
});

test("of a secret, 24 characters of its beginning are hidden, with all that follow of it", () => {
  const secret = `Beginning-of-24-${fresh(6)}./and-more-of-it`;
  secretOfText("the variable LONGER", secret);
  for (const part of [secret, secret.slice(0, 30), secret.slice(0, 24)])
    expect(masked(`<${part}> and <${part}>`)).toBe("<(sensitive)> and <(sensitive)>");
  expect(masked(secret)).toBe("(sensitive)");
  expect(masked(secret.slice(0, 23))).toBe(secret.slice(0, 23));
  // Longer than a path in a message.
  const long = Array.from({ length: 250 }, (_, index) => `"${fresh(6)}-${index}`).join("");
  secretOfText("the variable LONG", long);
  const path = quote(`/stack/${long}`, "path");
  expect(path).toContain(long.slice(1, 7));
  expect(masked(path)).toBe('"/stack/(sensitive)…"');
});
