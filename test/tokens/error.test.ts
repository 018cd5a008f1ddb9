import {
  defined,
  ERROR_CODES,
  errorCodeOf,
  IamTokensError,
  type IamTokensErrorDetails,
  usageErrorOf,
} from "../../lib/tokens";

test.each<[string, string, IamTokensErrorDetails, string]>([
  [
    "the problem, what is allowed, the next step and the code",
    'The scope is "all".',
    { more: "More.", allowed: "account or project" },
    'The scope is "all". More. Allowed: account or project. Choose. [ERR_SCOPE_INVALID]',
  ],
  ["no more than there is", "Wrong.", {}, "Wrong. Choose. [ERR_SCOPE_INVALID]"],
  [
    "the possible causes in a list, and the next step in a line of its own",
    "Wrong.",
    { causes: [{ text: "one.", likely: true }, { text: "Two." }] },
    "Wrong. The service does not say why. Possible causes:\n- Most likely: one.\n- Two.\nChoose. [ERR_SCOPE_INVALID]",
  ],
])("an error says %s", (_what, fact, details, message) => {
  const error = new IamTokensError("ERR_SCOPE_INVALID", fact, { ...details, remedy: "Choose." });
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
  const remedy = String(ERROR_CODES.ERR_SCOPE_INVALID[1]);
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
  expect(Object.keys(error)).toEqual([]);
  expect(error.stack).toMatch(`IamTokensError: ${error.message}\n    at `);
  expect(new IamTokensError("ERR_SCOPE_INVALID", "Wrong.")).not.toHaveProperty("cause");
});

test.each([
  ["an error of Node.js", Object.assign(new Error("x"), { code: "ENOENT" }), "ENOENT"],
  ["an error with a number: none", Object.assign(new Error("x"), { code: 5 }), undefined],
  ["null: none", null, undefined],
  ["nothing: none", undefined, undefined],
  ["a string: none", "ENOENT", undefined],
])("the code of %s", (_what, error, code) => {
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

test("leaves out what is not defined; null, 0 and an empty string are values", () => {
  expect(Object.entries(defined({ a: 1, b: undefined, c: null, d: 0, e: "" }))).toEqual([
    ["a", 1],
    ["c", null],
    ["d", 0],
    ["e", ""],
  ]);
});
