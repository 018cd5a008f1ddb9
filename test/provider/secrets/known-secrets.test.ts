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
