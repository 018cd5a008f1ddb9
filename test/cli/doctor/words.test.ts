import { failureOf, lineOf, oneLine } from "../../../lib/cli/doctor/finding";
import { ofStacks } from "../../../lib/cli/doctor/stack-folders";
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
  const missing = { status: "failed", text: "It is wrong.", remedy: "Mend it." } as const;
  const other = { status: "ok", text: "It works." } as const;
  expect(
    ofStacks([
      ["/p/a", missing],
      ["/p/b", other],
      ["/p/c", missing],
    ]),
  ).toEqual([
    { ...missing, text: "stacks a, c: It is wrong." },
    { ...other, text: "stack b: It works." },
  ]);
});

test.each([
  ["none of nothing", "", undefined],
  ["none without an error", "Terraform v1.11.4\nnot an Error: at the start", undefined],
  [
    "without a frame",
    "╷\r\n│ Error: Failed to query\r\n│ \r\n│ not found\r\n╵\r\n",
    "Error: Failed to query. not found",
  ],
  ["with a warning", "Initializing\nError: a\n\nb\nWarning: c\n\nd\n", "Error: a. b Warning: c. d"],
  [
    "a list, and no userinfo",
    "Error: x\n\nit is\n  - https://u:canary@mirror/\n",
    "Error: x. it is\n- https://…@mirror/",
  ],
  ["one full stop", "Error: x\n\npermission denied..\n", "Error: x. permission denied."],
  [
    "nothing of a file but its place",
    "Error: Error parsing /h/.terraformrc: At 1:27: IDENT canary",
    "Error: Error parsing /h/.terraformrc: At 1:27.",
  ],
  [
    "nothing of a file with two places",
    "Error: Error parsing /h/x: literal canary: At 1:2",
    "Error: Error parsing /h/x.",
  ],
  [
    "nothing of a file without a name",
    "Error: Error parsing canary",
    "Error: Error parsing a file.",
  ],
  [
    "cut when they are long",
    `Error: ${"x".repeat(5_000)}`,
    expect.stringMatching(/^Error: x{1,2000}…?/),
  ],
])("Terraform's words: %s", (_what, printed, words) => {
  expect(terraformWords(printed)).toEqual(words);
  expect(String(terraformWords(printed)).length).toBeLessThan(2_100);
});

const NEXT = ["npx x", "/a b/stacks/web"] as const;

test.each<[string, string | RegExp]>([
  [
    "fork/exec x: permission denied",
    "chmod +x '/a b/stacks'/*/terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam/*/*/terraform-provider-*, or synthesize on the machine that applies. If the launcher has its permission, its file system is mounted noexec: npx x run -- needs no installed provider.",
  ],
  ["fork/exec x: no such file or directory", /needs \/bin\/sh/],
  ["Failed to read any lines from plugin's stdout", /MemoryDenyWriteExecute/],
  ["invalid reattach", "Unset TF_REATTACH_PROVIDERS: the provider that it names has ended."],
  ["Unsupported Terraform Core version", /^Use a newer Terraform or OpenTofu, or store/],
  ["on .terraform.lock.hcl line 1", /^Look for conflict markers in \.terraform\.lock\.hcl, or/],
  ["the dependency lock file", /^Look for conflict markers/],
  [
    "there is no package for npm.invalid/x 0.1.0 cached",
    /^Run init in this folder, or npx x doctor/,
  ],
  [
    "provider npm.invalid/cdktf-iam-tokens/iam was not found in any",
    /^Run Terraform with npx x run --, which .* or install the provider \(npx x install DIR\) and add .* merged with/,
  ],
  ["Invalid count argument", "Correct what Terraform reports."],
])("%j has a next step", (words, remedy) => {
  expect(remedyFor(`Error: ${words}.`, ...NEXT)).toMatch(remedy);
});

test("on Windows, none names iam-tokens run", async () => {
  const words = "npm.invalid/cdktf-iam-tokens/iam not found";
  expect(await onPlatform("win32", async () => remedyFor(words, ...NEXT))).toMatch(
    /^Install the provider \(npx x install DIR\)/,
  );
});
