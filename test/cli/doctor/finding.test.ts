import { lineOf } from "../../../lib/cli/doctor/finding";

const terminal = (isTTY: boolean) => ({ write: () => {}, isTTY, columns: undefined });
const examined = {
  check: "node",
  status: "cross",
  text: "bad \u001b[31m\nname",
  remedy: "Do\u0007 it.",
} as const;
const utf8 = { LANG: "C.UTF-8", TERM: "xterm" };

test("in a pipe: words, no colours, and nothing that a terminal or a CI system obeys", () => {
  expect(lineOf(terminal(false), utf8)(examined)).toBe(
    `FAIL node               bad ?[31m?name\n${" ".repeat(24)}-> Do? it.\n`,
  );
});

test("on a screen: marks and colours, where they can be shown and are wanted", () => {
  expect(lineOf(terminal(true), utf8)(examined)).toContain("\u001b[31m✘\u001b[0m node ");
  expect(lineOf(terminal(true), { ...utf8, NO_COLOR: "1" })(examined)).toMatch(/^✘ node /);
  expect(lineOf(terminal(true), { LANG: "C", NO_COLOR: "1" })(examined)).toMatch(/^FAIL node /);
});

test.each([
  ["ok", "✔"],
  ["warning", "!"],
  ["cross", "✘"],
  ["skipped", "-"],
] as const)("%s is %s", (status, mark) => {
  expect(
    lineOf(terminal(true), { ...utf8, NO_COLOR: "1" })({ check: "node", status, text: "x" }),
  ).toBe(`${mark} node               x\n`);
});
