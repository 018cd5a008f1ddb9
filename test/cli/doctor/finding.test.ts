import { failureOf, lineOf } from "../../../lib/cli/doctor/finding";
import { IamTokensError } from "../../../lib/tokens";

const terminal = (isTTY: boolean) => ({ write: () => {}, isTTY, columns: undefined });
const examined = {
  check: "node",
  status: "failed",
  text: "bad \u001b[31m\nname",
  remedy: "Do\u0007 it.",
} as const;
const utf8 = { LANG: "C.UTF-8", TERM: "xterm" };

test("in a pipe: words without colours, and no command for a terminal or a CI system", () => {
  expect(lineOf(terminal(false), utf8)(examined)).toBe(
    `failed  node               bad ?[31m?name\n${" ".repeat(27)}-> Do? it.\n`,
  );
});

test("on a screen: marks and colours, where they are supported and wanted", () => {
  expect(lineOf(terminal(true), utf8)(examined)).toContain("\u001b[31m✘\u001b[0m node ");
  expect(lineOf(terminal(true), { ...utf8, NO_COLOR: "1" })(examined)).toMatch(/^✘ node /);
  expect(lineOf(terminal(true), { LANG: "C", NO_COLOR: "1" })(examined)).toMatch(
    /^failed {2}node /,
  );
});

test.each([
  ["ok", "✔"],
  ["warning", "!"],
  ["failed", "✘"],
  ["skipped", "-"],
] as const)("%s is %s", (status, mark) => {
  expect(
    lineOf(terminal(true), { ...utf8, NO_COLOR: "1" })({ check: "node", status, text: "x" }),
  ).toBe(`${mark} node               x\n`);
});

test("the items of a list keep their lines, and no other text can begin a line", () => {
  const problem = "It is refused. Look at:\n- the name\n- the\u001b password\nthe end";
  const finding = failureOf(new IamTokensError("ERR_USAGE", problem));
  const indent = " ".repeat(27);
  expect(
    lineOf(
      terminal(false),
      {},
    )({ ...finding, check: "issue" })
      .split("\n")
      .slice(0, 3),
  ).toEqual([
    "failed  issue              It is refused. Look at:",
    `${indent}- the name`,
    `${indent}- the? password the end [ERR_USAGE]`,
  ]);
});
