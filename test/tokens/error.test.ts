import { ERROR_CODES, IamTokensError } from "../../lib/tokens";

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
    "Candidates:\n- one\n- two\n",
    { remedy: "Check them." },
  );
  expect(message).toBe("Candidates:\n- one\n- two\nCheck them. [ERR_CREDENTIALS_REJECTED]");
});

test("an error is known by its brand, across copies of the package", () => {
  const copy = Object.defineProperty(new Error("x"), Symbol.for("cdktf-iam-tokens/error"), {
    value: true,
  });
  expect(IamTokensError.is(copy)).toBe(true);
  expect(IamTokensError.is(new Error("x"))).toBe(false);
  expect(IamTokensError.is(null)).toBe(false);
});

test.each(Object.entries(ERROR_CODES))(
  "%s has a summary and a remedy that are sentences",
  (_code, { summary, remedy }) => {
    expect(summary).toMatch(/^[A-Z"].*\.$/s);
    expect(remedy).toMatch(/^[A-Z].*\.$/s);
  },
);
