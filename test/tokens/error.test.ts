import {
  codeAtEnd,
  defined,
  ERROR_CODES,
  errorCodeOf,
  IamTokensError,
  usageErrorOf,
} from "../../lib/tokens";

test.each([
  [
    "the problem, what is allowed, the next step and the code",
    'The scope is "all".',
    "account or project",
    'The scope is "all". Allowed: account or project. Choose. [ERR_SCOPE_INVALID]',
  ],
  ["no more than there is", "Wrong.", undefined, "Wrong. Choose. [ERR_SCOPE_INVALID]"],
  [
    "after a list the next step in a line of its own",
    "Possible causes:\n- one\n- two\n",
    undefined,
    "Possible causes:\n- one\n- two\nChoose. [ERR_SCOPE_INVALID]",
  ],
])("an error says %s", (_what, problem, allowed, message) => {
  const error = new IamTokensError("ERR_SCOPE_INVALID", problem, {
    ...defined({ allowed }),
    remedy: "Choose.",
  });
  expect(error.message).toBe(message);
});

test("an error is known by its brand, across copies of the package", () => {
  const copy = Object.defineProperty(new Error("x"), Symbol.for("cdktf-iam-tokens/error"), {
    value: true,
  });
  expect(IamTokensError.is(copy)).toBe(true);
  expect(IamTokensError.is(new Error("x"))).toBe(false);
  // Not enumerable: whoever prints the error does not see it.
  const error = new IamTokensError("ERR_SCOPE_INVALID", "Wrong.");
  expect(Object.getOwnPropertyDescriptor(error, Symbol.for("cdktf-iam-tokens/error"))).toEqual(
    Object.getOwnPropertyDescriptor(copy, Symbol.for("cdktf-iam-tokens/error")),
  );
  expect([null, undefined, "text", 7].some((value) => IamTokensError.is(value))).toBe(false);
});

test("an error has its parts apart, and the remedy of its code by default", () => {
  const cause = new Error("deeper");
  const error = new IamTokensError("ERR_SCOPE_INVALID", "Wrong.", { allowed: "account", cause });
  const { remedy } = ERROR_CODES.ERR_SCOPE_INVALID;
  expect(error).toMatchObject({
    name: "IamTokensError",
    code: "ERR_SCOPE_INVALID",
    problem: "Wrong.",
    allowed: "account",
    remedy,
    cause,
    message: `Wrong. Allowed: account. ${remedy} [ERR_SCOPE_INVALID]`,
  });
  // Node.js prints the others, which repeat the message.
  expect(Object.keys(error).sort()).toEqual(["name"]);
  expect(new IamTokensError("ERR_SCOPE_INVALID", "Wrong.")).not.toHaveProperty("cause");
});

test.each([
  ["Wrong. [ERR_SCOPE_INVALID]", "ERR_SCOPE_INVALID"],
  ["Wrong. [ERR_SCOPE_INVALID] ", undefined],
  ["Wrong. [ERR_NO_SUCH_CODE]", undefined],
  ["Wrong. [ERR_SCOPE_INVALID", undefined],
])("the code at the end of %j is %s", (text, code) => {
  expect(codeAtEnd(text)).toBe(code);
});

test.each([
  [Object.assign(new Error("x"), { code: "ENOENT" }), "ENOENT"],
  [Object.assign(new Error("x"), { code: 5 }), undefined],
  [null, undefined],
  [undefined, undefined],
  ["ENOENT", undefined],
])("the code of %p is %s", (error, code) => {
  expect(errorCodeOf(error)).toBe(code);
});

test.each([
  ["error: unknown option '--x'", "Unknown option '--x'."],
  ["missing error: prefix", "Missing error: prefix."],
  ["two\n\n  lines \n", "Two lines."],
  ["unknown command 'isue'\n(Did you mean issue?)", "Unknown command 'isue' (Did you mean issue?)"],
  ["it ended.", "It ended."],
  ["who?", "Who?"],
  ["a\u001bb", "A?b."],
])("the parser's message %j is a sentence", (message, problem) => {
  expect(usageErrorOf(message)).toMatchObject({ code: "ERR_USAGE", problem });
});

test("a message that repeats a long argument is cut", () => {
  expect(usageErrorOf("x".repeat(5_000)).problem.length).toBeLessThan(1_100);
});

test("leaves out undefined; null, 0 and an empty string are values", () => {
  expect(Object.entries(defined({ a: 1, b: undefined, c: null, d: 0, e: "" }))).toEqual([
    ["a", 1],
    ["c", null],
    ["d", 0],
    ["e", ""],
  ]);
});
