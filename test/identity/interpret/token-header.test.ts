import { tokenOf } from "../../../lib/identity/interpret/token-header";
import { Secret } from "../../../lib/tokens";
import { answer, issued } from "../support/scripted-transport";
import { errorOf, PASSWORD_CANARY, TOKEN_CANARY } from "../support/wanted";

const context = { maxLength: 8192, sent: Secret.of(PASSWORD_CANARY), about: "The service" };

const TWICE = ["ERR_TOKEN_HEADER_DUPLICATED", "with more than one X-Subject-Token"] as const;
const UNPRINTABLE = [
  "ERR_TOKEN_HEADER_UNPRINTABLE",
  "with an X-Subject-Token that contains characters other than printable ASCII",
] as const;
const ECHOED = [
  "ERR_TOKEN_HEADER_ECHOED",
  "with the secret that was sent in X-Subject-Token",
] as const;

test.each<readonly [name: string, value: string | string[], code: string, problem: string]>([
  ["missing", [], "ERR_TOKEN_HEADER_MISSING", "without an X-Subject-Token header"],
  ["doubled", ["a", "b"], ...TWICE],
  ["doubled with one value", ["a", "a"], ...TWICE],
  ["joined by a proxy", `${TOKEN_CANARY}, b`, ...TWICE],
  ["empty", "", "ERR_TOKEN_HEADER_EMPTY", "with an empty X-Subject-Token"],
  ["with a blank", `${TOKEN_CANARY} x`, ...UNPRINTABLE],
  ["with an escape", `${TOKEN_CANARY}\u001b[31m`, ...UNPRINTABLE],
  ["with bytes above ASCII", `${TOKEN_CANARY}\u00e4`, ...UNPRINTABLE],
  ["with an escape before it", `\u001b[31m${TOKEN_CANARY}`, ...UNPRINTABLE],
  ["that is the password", PASSWORD_CANARY, ...ECHOED],
  ["with the password in it", `gAAAA${PASSWORD_CANARY}x`, ...ECHOED],
])("a header %s is an error of its own", async (_name, value, code, problem) => {
  const error = await errorOf(() => tokenOf(answer(201, { "X-Subject-Token": value }), context));
  expect(error.code).toBe(code);
  expect(error.problem).toBe(`The service answered 201 ${problem}.`);
  expect(error.allowed).toBeUndefined();
});

test("a header in two spellings is doubled", async () => {
  const headers = { "X-Subject-Token": "a", "x-subject-token": "b" };
  expect((await errorOf(() => tokenOf(answer(201, headers), context))).code).toBe(TWICE[0]);
});

test("a monstrous one is an error with both lengths", async () => {
  expect(await errorOf(() => tokenOf(issued("x".repeat(8193)), context))).toMatchObject({
    code: "ERR_TOKEN_HEADER_TOO_LARGE",
    problem: "The service answered 201 with an X-Subject-Token of 8193 characters.",
    allowed: "up to 8192",
  });
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
