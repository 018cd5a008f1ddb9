import { tokenOf } from "../../../lib/identity/interpret/token-header";
import { Secret } from "../../../lib/tokens";
import { answer, issued } from "../support/scripted-transport";
import { errorOf, PASSWORD_CANARY, TOKEN_CANARY } from "../support/wanted";

const context = { maxLength: 8192, sent: Secret.of(PASSWORD_CANARY), about: "The service" };

test.each<{
  name: string;
  header?: string | string[];
  others?: Record<string, string>;
  code: string;
  problem: string;
  allowed?: string;
}>([
  {
    name: "missing",
    code: "ERR_TOKEN_HEADER_MISSING",
    problem: "without an X-Subject-Token header",
  },
  {
    name: "doubled",
    header: ["a", "b"],
    code: "ERR_TOKEN_HEADER_DUPLICATED",
    problem: "with more than one X-Subject-Token",
  },
  {
    name: "doubled with one value",
    header: ["a", "a"],
    code: "ERR_TOKEN_HEADER_DUPLICATED",
    problem: "with more than one X-Subject-Token",
  },
  {
    name: "doubled in two spellings",
    others: { "x-subject-token": "b" },
    header: "a",
    code: "ERR_TOKEN_HEADER_DUPLICATED",
    problem: "with more than one X-Subject-Token",
  },
  {
    name: "joined by a proxy",
    header: `${TOKEN_CANARY}, b`,
    code: "ERR_TOKEN_HEADER_DUPLICATED",
    problem: "with more than one X-Subject-Token",
  },
  {
    name: "empty",
    header: "",
    code: "ERR_TOKEN_HEADER_EMPTY",
    problem: "with an empty X-Subject-Token",
  },
  {
    name: "monstrous",
    header: "x".repeat(8193),
    code: "ERR_TOKEN_HEADER_TOO_LARGE",
    problem: "with an X-Subject-Token of 8193 characters",
    allowed: "up to 8192",
  },
  {
    name: "with a blank",
    header: `${TOKEN_CANARY} x`,
    code: "ERR_TOKEN_HEADER_UNPRINTABLE",
    problem: "with an X-Subject-Token that contains characters other than printable ASCII",
  },
  {
    name: "with an escape",
    header: `${TOKEN_CANARY}\u001b[31m`,
    code: "ERR_TOKEN_HEADER_UNPRINTABLE",
    problem: "with an X-Subject-Token that contains characters other than printable ASCII",
  },
  {
    name: "with bytes above ASCII",
    header: `${TOKEN_CANARY}\u00e4`,
    code: "ERR_TOKEN_HEADER_UNPRINTABLE",
    problem: "with an X-Subject-Token that contains characters other than printable ASCII",
  },
  {
    name: "with an escape before it",
    header: `\u001b[31m${TOKEN_CANARY}`,
    code: "ERR_TOKEN_HEADER_UNPRINTABLE",
    problem: "with an X-Subject-Token that contains characters other than printable ASCII",
  },
  {
    name: "that is the password",
    header: PASSWORD_CANARY,
    code: "ERR_TOKEN_HEADER_ECHOED",
    problem: "with the password in X-Subject-Token",
  },
  {
    name: "with the password in it",
    header: `gAAAA${PASSWORD_CANARY}x`,
    code: "ERR_TOKEN_HEADER_ECHOED",
    problem: "with the password in X-Subject-Token",
  },
])("a header $name is an error of its own", async ({ header, others, code, problem, allowed }) => {
  const headers = header === undefined ? {} : { "X-Subject-Token": header };
  const error = await errorOf(() => tokenOf(answer(201, { ...headers, ...others }), context));
  expect(error.code).toBe(code);
  expect(error.problem).toBe(`The service answered 201 ${problem}.`);
  expect(error.allowed).toBe(allowed);
});

test("may have the allowed length", () => {
  expect(tokenOf(issued("x".repeat(8192)), context).reveal()).toHaveLength(8192);
});

// A short password may stand in a token by chance.
test.each([
  { password: "abcdefg", token: "xabcdefgx", refused: false },
  { password: "abcdefgh", token: "xabcdefghx", refused: true },
  { password: "abc", token: "abc", refused: true },
])("that $token echoes the password $password: $refused", ({ password, token, refused }) => {
  const read = () => tokenOf(issued(token), { ...context, sent: Secret.of(password) });
  if (refused) expect(read).toThrow("ERR_TOKEN_HEADER_ECHOED");
  else expect(read().reveal()).toBe(token);
});
