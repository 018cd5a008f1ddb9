import {
  inRun,
  messageOf,
  toDestroy,
  toDiagnostic,
  toWarning,
  warning,
} from "../../../lib/provider/configuration/diagnostics";
import { type ErrorCode, IamTokensError, ofProcess, words } from "../../../lib/tokens";
import { CANARY } from "../fixtures";

test("a diagnostic has the code in its summary, the story in its detail, and the path", () => {
  const error = new IamTokensError("ERR_SCOPE_INVALID", "scope is null.", {
    more: "It was not given.",
    allowed: "account, project",
    remedy: "Choose.",
  });
  const detail = "scope is null. It was not given.\nAllowed: account, project.\nChoose.";
  expect(toDiagnostic(error, ["scope"])).toEqual({
    severity: "error",
    summary: "scope is null [ERR_SCOPE_INVALID]",
    detail,
    path: ["scope"],
    cause: error,
  });
  const warned = { severity: "warning", summary: "Careful", detail };
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
  const details = { more: "y".repeat(9_000) };
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

test.each<[ErrorCode, remedy: string, says: boolean]>([
  ["ERR_SECRET_MISSING", "", true],
  ["ERR_SECRET_EMPTY", "", true],
  ["ERR_CREDENTIALS_MISSING", "", true],
  ["ERR_CREDENTIALS_REJECTED", "", true],
  ["ERR_COMMAND_FAILED", "", true],
  ["ERR_CLOUD_NOT_FOUND", "", true],
  // As an error of a variable has it.
  ["ERR_SECRET_MISSING", "Set the variable, then run again.", true],
  ["ERR_CREDENTIALS_REJECTED", "Possible causes are listed in another error of this run.", false],
  ["ERR_SCOPE_INVALID", "", false],
])(
  "whether %s, with the remedy %j, says how to destroy without a secret: %j",
  (code, given, says) => {
    const remedy = given === "" ? undefined : given;
    const error = new IamTokensError(code, "It is so.", remedy ? { remedy } : {});
    const diagnostic = toDiagnostic(error);
    expect(diagnostic.detail).toMatch(/^It is so\.\n/);
    expect(diagnostic.detail.endsWith(" terraform destroy -refresh=false.")).toBe(says);
    // Without Terraform, there is another way.
    const message = messageOf(diagnostic, (our) => toDestroy(our, "Skip it."));
    expect(message.endsWith(` Skip it. [${code}]`)).toBe(says);
    expect(message).not.toContain("terraform destroy");
  },
);

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
