import { codeAtEnd, ERROR_CODES, errorCodeOf, IamTokensError } from "../../lib/tokens";

test("an error says the problem, what is allowed, the next step and its code", () => {
  const error = new IamTokensError("ERR_SCOPE_INVALID", 'The scope is "all".', {
    allowed: "account or project",
    remedy: "Choose one.",
  });
  expect(error.message).toBe(
    'The scope is "all". Allowed: account or project. Choose one. [ERR_SCOPE_INVALID]',
  );
});

test("after a list the next step begins a line", () => {
  const { message } = new IamTokensError(
    "ERR_CREDENTIALS_REJECTED",
    "Possible causes:\n- one\n- two\n",
    { remedy: "Check them." },
  );
  expect(message).toBe("Possible causes:\n- one\n- two\nCheck them. [ERR_CREDENTIALS_REJECTED]");
});

test("elsewhere it stands in the same line", () => {
  const { message } = new IamTokensError("ERR_SCOPE_INVALID", "Wrong.", { remedy: "Choose." });
  expect(message).toBe("Wrong. Choose. [ERR_SCOPE_INVALID]");
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

test.each(Object.entries(ERROR_CODES))(
  "%s has a summary and a remedy that are sentences",
  (_code, { summary, remedy }) => {
    expect(summary).toMatch(/^[A-Z"].*\.$/s);
    expect(remedy).toMatch(/^[A-Z].*\.$/s);
  },
);

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
  expect(new IamTokensError("ERR_SCOPE_INVALID", "Wrong.")).not.toHaveProperty("cause");
});

test("after a list what is allowed goes on in the line", () => {
  const { message } = new IamTokensError("ERR_SCOPE_INVALID", "- one\n", {
    allowed: "two",
    remedy: "Choose.",
  });
  expect(message).toBe("- one\n Allowed: two. Choose. [ERR_SCOPE_INVALID]");
});

test.each([
  ["Wrong. [ERR_SCOPE_INVALID]", "ERR_SCOPE_INVALID"],
  ["Wrong. [ERR_SCOPE_INVALID] ", undefined],
  ["Wrong. [ERR_NO_SUCH_CODE]", undefined],
  ["Wrong. [ERR_SCOPE_INVALID", undefined],
  ["", undefined],
])("the code at the end of %j is %s", (text, code) => {
  expect(codeAtEnd(text)).toBe(code);
});

test.each([
  [Object.assign(new Error("x"), { code: "ENOENT" }), "ENOENT"],
  [Object.assign(new Error("x"), { code: 5 }), undefined],
  [new Error("x"), undefined],
  [null, undefined],
  [undefined, undefined],
  ["ENOENT", undefined],
])("the code of %p is %s", (error, code) => {
  expect(errorCodeOf(error)).toBe(code);
});
