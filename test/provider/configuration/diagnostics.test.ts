import {
  inRun,
  messageOf,
  toDiagnostic,
  toWarning,
  warning,
} from "../../../lib/provider/configuration/diagnostics";
import { IamTokensError, ofProcess, words } from "../../../lib/tokens";
import { CANARY } from "../fixtures";

test("a diagnostic has the code in its summary, the story in its detail, and the path", () => {
  const error = new IamTokensError("ERR_SCOPE_INVALID", "scope is null.", {
    more: "It was not given.",
    allowed: "account, project",
    remedy: "Choose.",
  });
  const detail = "It was not given.\nAllowed: account, project.\nChoose.";
  expect(toDiagnostic(error, ["scope"])).toEqual({
    severity: "error",
    summary: "scope is null [ERR_SCOPE_INVALID]",
    detail,
    path: ["scope"],
    cause: error,
  });
  const warned = { severity: "warning", summary: "Careful", detail: `scope is null. ${detail}` };
  expect(toWarning("Careful", error)).toEqual(warned);
});

test.each([
  ["its fact", "The name x. y is wrong.", {}, "The name x. y is wrong"],
  ["a shorter fact", "It is (and so on).", { headline: "X is not set" }, "X is not set"],
  ["its fact if it is short", "x".repeat(160), {}, "x".repeat(160)],
  ["its code's meaning", "x".repeat(161), {}, "The service did not answer in time"],
])("a diagnostic has as headline %s", (_what, fact, details, headline) => {
  const { summary } = toDiagnostic(new IamTokensError("ERR_NO_ANSWER", fact, details));
  expect(summary).toBe(`${headline} [ERR_NO_ANSWER]`);
});

test("a diagnostic has no command for a CI system, and an end", () => {
  const details = { more: `::stop-commands::x${"y".repeat(9_000)}` };
  const error = new IamTokensError("ERR_NAME_INVALID", "::stop-commands::x is no name.", details);
  const { summary, detail } = toDiagnostic(error);
  const message = messageOf(toDiagnostic(error), () => error);
  const { detail: ofWarning } = warning("A warning", "::stop-commands::x");
  for (const text of [summary, detail, message, ofWarning])
    expect(text).toContain("\\u003a:stop-commands");
  expect([detail.length, message.length]).toEqual([3_001, 3_001]);
});

test.each([
  ["an error", new Error(CANARY.password)],
  ["a name", Object.assign(new TypeError("x"), { name: `Error ${CANARY.password}` })],
  ["a string", CANARY.password],
  ["an object", { toString: (): string => CANARY.password }],
  ["null", null],
])("a diagnostic of what is no error of ours does not repeat it: %s", (_what, error) => {
  const diagnostic = toDiagnostic(error);
  expect(JSON.stringify(diagnostic)).not.toContain("canary");
  expect(diagnostic).not.toHaveProperty("cause");
  expect(messageOf(diagnostic, (our) => our)).toMatch(
    /^Internal error in the iam provider\. The provider failed with an unexpected error \(/,
  );
});

test.each([
  ["is its headline", "It is so.", {}, "Run again."],
  ["is too long for one", "x".repeat(161), {}, `${"x".repeat(161)}\nRun again.`],
  ["has another headline", "It is so.", { headline: "So." }, "It is so.\nRun again."],
])("a detail repeats no fact that %s", (_what, fact, details, detail) => {
  expect(toDiagnostic(new IamTokensError("ERR_CANCELLED", fact, details)).detail).toBe(detail);
});

test("under run, an error says whose variables, files, commands and clouds it means", () => {
  const missing = (fact: string) =>
    new IamTokensError("ERR_SECRET_MISSING", words`${ofProcess("The file x")} ${fact}`);
  const error = missing("does not exist.");
  const note =
    "Variables and the working folder are those of iam-tokens run when it started, not those of this Terraform.";
  expect(inRun(error, true)).toMatchObject({ problem: `The file x does not exist. ${note}` });
  expect(inRun(error, false)).toBe(error);
  for (const other of [new IamTokensError("ERR_USAGE", "The file x is wrong."), new Error("x")])
    expect(inRun(other, true)).toBe(other);
});
