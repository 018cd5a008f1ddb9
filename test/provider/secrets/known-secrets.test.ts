import { randomBytes } from "node:crypto";
import { masked, maskedName, withoutSecrets } from "../../../lib/provider/secrets/known-secrets";
import { secretOfText } from "../../../lib/provider/secrets/secret-text";
import { escaped, IamTokensError, quote } from "../../../lib/tokens";

const rejected = (project: string) =>
  new IamTokensError(
    "ERR_CREDENTIALS_REJECTED",
    `answered 401 to service user "deployer", who requested a token for project ${JSON.stringify(project)}.`,
  );

test("prints a name unless it equals a secret that was read", () => {
  const secret = 'canary-"static\\never-shown';
  expect(withoutSecrets(rejected(secret)).message).toContain("canary");
  secretOfText("the variable STATIC_TOKEN", `${secret}\n`);
  const reported = withoutSecrets(rejected(secret));
  expect(reported.message).not.toContain("canary");
  expect(reported.message).toContain('service user "deployer"');
  expect(reported.message).toContain('project "(sensitive)"');
  expect(reported.message).toContain("[ERR_CREDENTIALS_REJECTED]");
  expect(reported.remedy).toBe(rejected("web").remedy);
  expect(withoutSecrets(rejected("web")).message).toBe(rejected("web").message);
});

describe("a secret that was read is not in a message", () => {
  const secret = 'Canary9/static"token\\with-more-than-80-characters-'.padEnd(120, "x");
  beforeAll(() => void secretOfText("the variable STATIC_TOKEN", secret));
  const hidden = (problem: string, headline?: string) => {
    const error = new IamTokensError("ERR_SECRET_MISSING", problem, headline ? { headline } : {});
    const { message, headline: reported } = withoutSecrets(error);
    return `${message} ${reported}`;
  };

  test.each([
    { what: "a variable's name", problem: `The environment variable ${secret} is not set.` },
    { what: "part of a path", problem: `here that is ${JSON.stringify(`/stack/${secret}`)}.` },
    { what: "part of a long name", problem: `for project ${quote(`pre-${secret}`)}.` },
    { what: "part of an address", problem: `https://${encodeURI(secret)}/v3 answered 404.` },
    { what: "a host", problem: `The connection to ${secret.toLowerCase()}.example failed.` },
  ])("as $what", ({ problem }) => {
    expect(hidden(problem)).toMatch(/\(sensitive\)/);
    expect(hidden(problem)).not.toMatch(/canary9/i);
  });

  test("in a headline", () => {
    const text = hidden(`${secret} is not set.`, `Environment variable ${secret} is not set`);
    expect(text).toContain("Environment variable (sensitive) is not set");
  });

  test("as a name without quotes, however short", () => {
    secretOfText("the variable SHORT", "word");
    expect([maskedName("word"), maskedName("words")]).toEqual(["(sensitive)", "words"]);
  });
});

test("a simple word is hidden as a whole name only: its absence from our words would tell it", () => {
  secretOfText("the variable SIMPLE", "password");
  const error = new IamTokensError(
    "ERR_CREDENTIALS_REJECTED",
    'The password of "password" is wrong.',
  );
  expect(withoutSecrets(error).problem).toBe('The password of "(sensitive)" is wrong.');
});

/** Letters that this process has never had in a secret: it forgets none. */
const fresh = (count: number): string =>
  Array.from(randomBytes(count), (byte) => String.fromCharCode(97 + (byte % 26))).join("");

test.each<{ what: string; secret: () => string; hidden: boolean }>([
  { what: "sixteen letters", secret: () => fresh(16), hidden: true },
  { what: "fifteen letters", secret: () => fresh(15), hidden: false },
  { what: "fifteen letters, some of them capitals", secret: () => `${fresh(14)}X`, hidden: false },
  { what: "seven letters and a digit", secret: () => `${fresh(7)}1`, hidden: true },
  { what: "six letters and a digit", secret: () => `${fresh(6)}1`, hidden: false },
  {
    what: "eight digits",
    secret: () => fresh(8).replace(/./g, (a) => `${a.charCodeAt(0) % 10}`),
    hidden: true,
  },
])("$what: hidden in a sentence $hidden", ({ secret: make, hidden }) => {
  const secret = make();
  secretOfText("the variable ANY", secret);
  const shown = hidden ? "(sensitive)" : secret;
  expect(masked(`of <${secret}>.`)).toBe(`of <${shown}>.`);
  expect(masked(`of "${secret}".`)).toBe('of "(sensitive)".');
  const parts = `of "${secret.slice(0, 5)}" and ${JSON.stringify(`a"${secret.slice(5)}`)}`;
  expect(masked(parts)).toBe(parts);
});

test("of a secret, 24 characters of its beginning are hidden, with all that follow of it", () => {
  const secret = `Beginning-of-24-${fresh(6)}./and-more-of-it`;
  secretOfText("the variable LONGER", secret);
  const parts = [secret, secret.slice(0, 30), secret.slice(0, 24)];
  for (const part of [...parts, secret.toUpperCase()])
    expect(masked(`<${part}> and <${part}>`)).toBe("<(sensitive)> and <(sensitive)>");
  expect(masked(secret)).toBe("(sensitive)");
  expect(masked(secret.slice(0, 23))).toBe(secret.slice(0, 23));
  // A letter whose lower case is longer.
  expect(masked(`\u0130 <${secret}>`)).toBe("\u0130 <(sensitive)>");
  expect(masked(`\u0130 <${secret.slice(0, -1)}>`)).toBe(`\u0130 <${secret.slice(0, -1)}>`);
});

test("a secret that is cut in the middle of a character is taken", () => {
  const secret = `${fresh(24).padEnd(65_535, "y")}\u{1f511}`;
  secretOfText("the variable CUT", secret);
  expect(masked(`<${secret.slice(0, 100)}>`)).toBe("<(sensitive)>");
});

test("an error keeps its code and what is allowed, and loses a secret in its remedy", () => {
  const secret = "remedy-with-a-secret-1";
  secretOfText("the variable REMEDY", secret);
  const details = { allowed: "letters", remedy: `Correct ${secret}.` };
  const error = new IamTokensError("ERR_SECRET_EMPTY", `It is ${secret}.`, details);
  expect(withoutSecrets(error).message).toBe(
    "It is (sensitive). Allowed: letters. Correct (sensitive). [ERR_SECRET_EMPTY]",
  );
  expect(withoutSecrets(error).headline).toBeUndefined();
});

test("a token of 2,000 characters in the name of a file is hidden, although the path is cut", () => {
  const token = Array.from({ length: 250 }, (_, index) => `Part-${100 + index}`).join("");
  secretOfText("the variable LONG", token);
  expect(escaped(`/stack/${token}`)).toContain("Part-100Part-101");
  expect(masked(`The file ${escaped(`/stack/${token}`)} does not exist.`)).not.toContain("Part-");
});

test("of a text of 10 MB only the beginning is looked at, whatever quotes are in it", () => {
  for (const text of ['"'.repeat(10_000_000), '"\\'.repeat(5_000_000)])
    expect(masked(text).length).toBeLessThan(100_000);
});
