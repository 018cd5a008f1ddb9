import {
  checkOfBlock,
  inRun,
  toDiagnostic,
  toWarning,
  warning,
} from "../../../lib/provider/configuration/diagnostics";
import {
  defined,
  ERROR_CODES,
  type ErrorCode,
  IamTokensError,
  ofProcess,
  type Text,
  words,
} from "../../../lib/tokens";
import { CANARY } from "../fixtures";

describe("a diagnostic", () => {
  test("has the code in its summary, the story in its detail, and the path", () => {
    const error = new IamTokensError("ERR_SCOPE_INVALID", "scope is null.", {
      allowed: "account, project",
      remedy: "Choose.",
    });
    expect(toDiagnostic(error, ["scope"])).toEqual({
      severity: "error",
      summary: "scope is null [ERR_SCOPE_INVALID]",
      detail: "scope is null.\nAllowed: account, project.\nChoose.",
      path: ["scope"],
      cause: error,
    });
  });

  test.each([
    [
      "its fact",
      'user_name has a control character: "x. y".',
      { more: "More." },
      'user_name has a control character: "x. y"',
    ],
    [
      "what it is given",
      "It is long (and so on).",
      { headline: "Variable X is not set" },
      "Variable X is not set",
    ],
    [
      "what the code stands for, when it is long",
      `${"x".repeat(200)}.`,
      {},
      "The service did not answer in time",
    ],
  ])("has as headline %s", (_what, problem, details, headline) => {
    expect(toDiagnostic(new IamTokensError("ERR_NO_ANSWER", problem, details)).summary).toBe(
      `${headline} [ERR_NO_ANSWER]`,
    );
  });

  test("has no command for a CI system, and an end", () => {
    const details = { more: "y".repeat(9_000) };
    const error = new IamTokensError("ERR_NAME_INVALID", "::stop-commands::x is no name.", details);
    const { summary, detail } = toDiagnostic(error);
    for (const text of [summary, detail]) expect(text).toContain("\\u003a:stop-commands");
    expect(detail.length).toBeLessThan(3_100);
  });

  test.each(Object.keys(ERROR_CODES) as ErrorCode[])("has a summary of one line for %s", (code) => {
    expect(toDiagnostic(new IamTokensError(code, "x")).summary).toMatch(
      new RegExp(`^\\S[^\\n]*[^.] \\[${code}\\]$`),
    );
  });

  test.each([
    new Error(CANARY.password),
    Object.assign(new TypeError("x"), {
      message: CANARY.password,
      name: `Error ${CANARY.password}`,
    }),
    CANARY.password,
    { toString: () => CANARY.password },
    null,
    undefined,
  ])("of an error that is not ours does not repeat its message: %#", (error) => {
    const diagnostic = toDiagnostic(error);
    expect(JSON.stringify(diagnostic)).not.toContain("canary");
    expect(diagnostic.summary).toBe("Internal error in the iam provider");
  });

  test("of a warning keeps its own summary", () => {
    expect(toWarning("Careful", new IamTokensError("ERR_NO_ANSWER", "It hangs."))).toMatchObject({
      severity: "warning",
      summary: "Careful",
      detail: expect.stringMatching(/^It hangs\./),
    });
  });
});

test.each([
  [1, 3_000, ["x"]],
  [3, 3_000, ["x", "x", "x"]],
  [4, 3_000, ["x", "x", "x", "This block has 1 more mistake"]],
  [12, 10, [...Array<string>(10).fill("x"), "This block has 2 more mistakes"]],
])("of %i mistakes of %i characters, a block has %j", (count, length, summaries) => {
  const mistakes = Array.from({ length: count }, () => warning("x", "d".repeat(length)));
  expect(checkOfBlock(() => mistakes)({}).map(({ summary }) => summary)).toEqual(summaries);
});

test.each<[ErrorCode, remedy: string | undefined, says: boolean]>([
  ["ERR_SECRET_MISSING", undefined, true],
  ["ERR_SECRET_EMPTY", undefined, true],
  ["ERR_CREDENTIALS_MISSING", undefined, true],
  ["ERR_CREDENTIALS_REJECTED", undefined, true],
  ["ERR_CREDENTIALS_REJECTED", "Wait a minute.", false],
  ["ERR_SCOPE_INVALID", undefined, false],
])("%s (remedy: %s) says how to destroy without a secret: %p", (code, remedy, says) => {
  const { detail } = toDiagnostic(new IamTokensError(code, "It is so.", remedy ? { remedy } : {}));
  expect(detail.includes("terraform destroy -refresh=false")).toBe(says);
});

describe("under run, an error says whose variables, files, commands and clouds it means", () => {
  const fact = words`${ofProcess("The file x")} does not exist.`;
  const said = (attached: boolean, more?: Text) =>
    inRun(new IamTokensError("ERR_SECRET_MISSING", fact, defined({ more })), attached).problem;
  const note =
    "Variables and the working folder are those of iam-tokens run when it started, not those of this Terraform.";

  test("after its fact", () => {
    expect(said(true)).toBe(`The file x does not exist. ${note}`);
    expect(said(true, "More.")).toBe(`The file x does not exist. More. ${note}`);
    expect(said(false)).toBe("The file x does not exist.");
  });

  test.each([
    new IamTokensError("ERR_SECRET_MISSING", "The file x of the environment."),
    new Error("The file"),
  ])("but no other error: %p", (error) => expect(inRun(error, true)).toBe(error));
});
