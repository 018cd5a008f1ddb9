import { printable } from "../../tokens";
import type { Finding } from "./finding";

/** The findings as they are printed: equal ones of several stacks are one, with their names. */
export function merged(findings: readonly Finding[]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { stacks = [], ...finding } of findings) {
    const key = JSON.stringify(finding);
    const before = found.get(key)?.stacks ?? [];
    found.set(key, { ...finding, stacks: [...new Set([...before, ...stacks])] });
  }
  return [...found.values()].map(({ about, stacks = [], text, ...rest }) => {
    const names =
      stacks.length > 1 ? `stacks ${stacks.join(", ")}` : stacks[0] && `stack ${stacks}`;
    const subject = [about, names].filter(Boolean).join(" of ");
    return { ...rest, text: subject === "" ? text : `${subject}: ${text}` };
  });
}

/** Width of the longest name of a check. */
const NAME_WIDTH = 16;

/** The printed form of a finding: a line, and another for the next step. */
export function lineOf(check: string, { status, text, remedy }: Finding): string {
  const word = status.padEnd("warning".length);
  const indent = " ".repeat(word.length + 1 + NAME_WIDTH);
  // Names of files and stacks may contain characters that a terminal or a CI system interprets.
  const lines = text.split(/\n(?=- )/).map(printable);
  const next = remedy === undefined ? "" : `${indent} -> ${printable(remedy)}\n`;
  return `${word} ${check.padEnd(NAME_WIDTH)} ${lines.join(`\n${indent} `)}\n${next}`;
}
