import { failureOf, oneLine } from "../../../lib/cli/doctor/finding";
import { lineOf, merged } from "../../../lib/cli/doctor/printed";
import { remedyFor, terraformWords } from "../../../lib/cli/doctor/terraform-words";
import { IamTokensError } from "../../../lib/tokens";
import { onPlatform } from "../../support/platform";

const INDENT = " ".repeat(24);

test("a finding is a line, and another for the next step; no text is a command for a terminal or a CI system", () => {
  const text = "bad \u001b[31m\nname ::error::x";
  expect(lineOf("node", { status: "failed", text, remedy: "Do\u0007 it." })).toBe(
    `failed  node             bad ?[31m?name \\u003a:error\\u003a:x\n${INDENT} -> Do? it.\n`,
  );
  expect(lineOf("identity-service", { status: "ok", text: "It answers." })).toBe(
    "ok      identity-service It answers.\n",
  );
});

test("the items of a list keep their lines, and no other text can begin a line", () => {
  const problem = "It is refused. Look at:\n- the name\n- the\u001b password\n  the end\n";
  const details = { allowed: "one", remedy: "Wait." };
  const finding = failureOf(new IamTokensError("ERR_USAGE", problem, details));
  expect(finding).toMatchObject({ status: "failed", remedy: "Wait." });
  expect(lineOf("issue", finding).split("\n")).toEqual([
    "failed  issue            It is refused. Look at:",
    `${INDENT} - the name`,
    `${INDENT} - the? password the end Allowed: one. [ERR_USAGE]`,
    `${INDENT} -> Wait.`,
    "",
  ]);
  expect(failureOf(new IamTokensError("ERR_USAGE", "It is."))).toMatchObject({
    text: "It is. [ERR_USAGE]",
  });
  expect(oneLine("\n  a\n\n  b -\n- c\n")).toBe("a b -\n- c");
});

test("another error is a fault of the program", () => {
  expect(() => failureOf(new RangeError("x"))).toThrow(RangeError);
});

test("equal findings of several stacks are one, with their names", () => {
  const missing = { status: "failed", text: "PW is not set.", remedy: "Set it." } as const;
  const of = (...stacks: string[]) => ({ ...missing, about: "provider iam", stacks });
  expect(
    merged([
      of("a"),
      { ...missing, stacks: ["b"] },
      of("c", "a"),
      { ...missing, about: "the environment" },
      { ...missing, text: "Of no stack." },
    ]),
  ).toEqual([
    { ...missing, text: "provider iam of stacks a, c: PW is not set." },
    { ...missing, text: "stack b: PW is not set." },
    { ...missing, text: "the environment: PW is not set." },
    { ...missing, text: "Of no stack." },
  ]);
});

test.each([
  ["", undefined],
  ["Terraform v1.11.4\nnot an Error: at the start", undefined],
  [
    "╷\r\n│ Error: Failed to query\r\n│ \r\n│ not found\r\n╵\r\n",
    "Error: Failed to query. not found",
  ],
  ["Initializing\nError: a\n\nb\nWarning: c\n\nd\n", "Error: a. b Warning: c. d"],
  ["Error: x\n\nit is\n  - https://u:canary@mirror/\n", "Error: x. it is\n- https://…@mirror/"],
  ["Error: x\n\npermission denied..\n", "Error: x. permission denied."],
  ["Error: x\n\nit is\n\nTo see which modules are\n\nthere", "Error: x. it is"],
  ["Error: x\n\nit is\n\nAs a result of the above problems, no\n", "Error: x. it is"],
  [
    "Error: Error parsing /h/.terraformrc: At 1:27: IDENT canary",
    "Error: Error parsing /h/.terraformrc: At 1:27.",
  ],
  ["Error: Error parsing /h/x: literal canary: At 1:2", "Error: Error parsing /h/x."],
  ["Error: Error parsing canary", "Error: Error parsing a file."],
  [`Error: ${"x".repeat(5_000)}`, expect.stringMatching(/^Error: x{1,2000}…?/)],
])("of %j, Terraform's words are %j", (printed, words) => {
  expect(terraformWords(printed)).toEqual(words);
  expect(String(terraformWords(printed)).length).toBeLessThan(2_100);
});

test.each([
  [
    "fork/exec x: permission denied",
    "chmod +x '/a b/stacks'/*/terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam/*/*/terraform-provider-*, or synthesize on the machine that applies.",
  ],
  ["invalid reattach", "Unset TF_REATTACH_PROVIDERS: the provider that it names has ended."],
  ["Unsupported Terraform Core version", /^Use a newer Terraform or OpenTofu, or store/],
  ["on .terraform.lock.hcl line 1", /^Look for conflict markers in \.terraform\.lock\.hcl, or/],
  ["the dependency lock file", /^Look for conflict markers/],
  [
    "could not be found",
    /^Run Terraform with iam-tokens run --, which .* or install the provider \(iam-tokens install DIR\) and add .* merged with/,
  ],
])("%j has a next step", (words, remedy) => {
  expect(remedyFor(`Error: ${words}.`, "/a b/stacks/web")).toMatch(remedy);
});

test("on Windows, none names iam-tokens run", async () => {
  expect(await onPlatform("win32", async () => remedyFor("not found", "C:\\x"))).toMatch(
    /^Install the provider \(iam-tokens install DIR\)/,
  );
});
