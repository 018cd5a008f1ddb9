import { type CliSurroundings, mayColour, type Terminal } from "../surroundings";
import type { Examined } from "./examine";
import type { Status } from "./finding";

const WORDS: Readonly<Record<Status, string>> = {
  ok: "ok",
  warning: "warn",
  cross: "FAIL",
  skipped: "skip",
};
const MARKS: Readonly<Record<Status, string>> = { ok: "✔", warning: "!", cross: "✘", skipped: "-" };
const COLOURS: Readonly<Record<Status, number>> = { ok: 32, warning: 33, cross: 31, skipped: 2 };

/** Width of the longest name of a check. */
const NAME_WIDTH = 18;

/**
 * How a finding is printed: a line, and one below it for what to do. Marks for a screen that has
 * them, words for everything else.
 */
export function lineOf(
  stdout: Terminal,
  env: CliSurroundings["env"],
): (examined: Examined) => string {
  const marks = stdout.isTTY && /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || "");
  const colour = mayColour(stdout, env);
  return ({ check, status, text, remedy }) => {
    const sign = marks ? MARKS[status] : WORDS[status].padEnd(4);
    const painted = colour ? `\u001b[${COLOURS[status]}m${sign}\u001b[0m` : sign;
    const indent = " ".repeat((marks ? 1 : 4) + 1);
    const next =
      remedy === undefined ? "" : `${indent}${"".padEnd(NAME_WIDTH)} -> ${printable(remedy)}\n`;
    return `${painted} ${check.padEnd(NAME_WIDTH)} ${printable(text)}\n${next}`;
  };
}

/** Names of files and stacks may hold what a terminal or a CI system obeys. */
function printable(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, "?");
}
