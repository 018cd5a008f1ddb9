import { failureOf, lineOf, merged } from "../../../lib/cli/doctor/finding";
import { IamTokensError } from "../../../lib/tokens";

const INDENT = " ".repeat(24);

test("no text of a finding is a command for a terminal or a CI system", () => {
  const text = "bad \u001b[31m\nname ::error::x";
  expect(lineOf("node", { status: "failed", text, remedy: "Do\u0007 it." })).toBe(
    `failed  node             bad ?[31m?name \\u003a:error\\u003a:x\n${INDENT} -> Do? it.\n`,
  );
});

test("the items of a list keep their lines, and no other text can begin a line", () => {
  const problem = "It is refused. Look at:\n- the name\n- the\u001b password\nthe end";
  const finding = failureOf(new IamTokensError("ERR_USAGE", problem));
  expect(lineOf("issue", finding).split("\n").slice(0, 3)).toEqual([
    "failed  issue            It is refused. Look at:",
    `${INDENT} - the name`,
    `${INDENT} - the? password the end [ERR_USAGE]`,
  ]);
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
    ]),
  ).toEqual([
    { ...missing, text: "provider iam of stacks a, c: PW is not set." },
    { ...missing, text: "stack b: PW is not set." },
    { ...missing, text: "the environment: PW is not set." },
  ]);
});
