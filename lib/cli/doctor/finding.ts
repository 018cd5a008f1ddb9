import { IamTokensError, printable } from "../../tokens";
import { type CliSurroundings, mayColour, mayDrawSigns, type Terminal } from "../surroundings";
import type { Scene } from "./scene";

/** `skipped`: not looked at, for a reason that is told. Only a cross makes the command fail. */
type Status = "ok" | "warning" | "cross" | "skipped";

/** What a check says of one thing. It holds no secret. */
export interface Finding {
  readonly status: Status;
  /** One sentence or two. */
  readonly text: string;
  /** The next step; every cross has one. */
  readonly remedy?: string;
}

/** Looks at one thing, and changes nothing. It keeps its own bounds of time. */
export type Check = (scene: Scene) => Findings | Promise<Findings>;
export type Findings = Finding | readonly Finding[];

export const ok = (text: string): Finding => ({ status: "ok", text });
export const skipped = (text: string): Finding => ({ status: "skipped", text });
export const warning = (text: string, remedy: string): Finding => ({
  status: "warning",
  text,
  remedy,
});
export const cross = (text: string, remedy: string): Finding => ({ status: "cross", text, remedy });

/**
 * The cross that an error of this package stands for; any other error is thrown again.
 *
 * @param about what it is about, for the beginning of the line
 */
export function crossOf(error: unknown, about?: string): Finding {
  if (!IamTokensError.is(error)) throw error;
  const allowed = error.allowed === undefined ? "" : ` Allowed: ${error.allowed}.`;
  const text = `${about === undefined ? "" : `${about}: `}${error.problem}${allowed} [${error.code}]`;
  // A line is a finding: lists in a problem are told in one.
  return cross(text.replaceAll(/\s*\n\s*/g, " "), error.remedy);
}

/** The findings that there are; where there are none, the one that says that all is well. */
export function unless(found: readonly Finding[], fine: () => Finding): readonly Finding[] {
  return found.length > 0 ? found : [fine()];
}

const SHOWN: Readonly<
  Record<Status, { readonly word: string; readonly mark: string; readonly colour: number }>
> = {
  ok: { word: "ok  ", mark: "✔", colour: 32 },
  warning: { word: "warn", mark: "!", colour: 33 },
  cross: { word: "FAIL", mark: "✘", colour: 31 },
  skipped: { word: "skip", mark: "-", colour: 2 },
};

/** Width of the longest name of a check. */
const NAME_WIDTH = 18;

/**
 * How a finding is printed: a line, and one below it for what to do. Marks for a screen that has
 * them, words for everything else.
 */
export function lineOf(
  stdout: Terminal,
  env: CliSurroundings["env"],
): (examined: Finding & { readonly check: string }) => string {
  const form = mayDrawSigns(stdout, env) ? "mark" : "word";
  return ({ check, status, text, remedy }) => {
    const { [form]: sign, colour } = SHOWN[status];
    const painted = mayColour(stdout, env) ? `\u001b[${colour}m${sign}\u001b[0m` : sign;
    const indent = " ".repeat(sign.length + 1 + NAME_WIDTH);
    // Names of files and stacks may hold what a terminal or a CI system obeys.
    const next = remedy === undefined ? "" : `${indent} -> ${printable(remedy)}\n`;
    return `${painted} ${check.padEnd(NAME_WIDTH)} ${printable(text)}\n${next}`;
  };
}
