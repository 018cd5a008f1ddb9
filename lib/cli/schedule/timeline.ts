import type { HeldToken, Simulation } from "../../tokens/rotation/simulate";
import { axisOf } from "./axis";
import type { Scene } from "./scene";
import { spareText } from "./summary";

/** How a timeline is drawn: see {@link toTimeline}. */
export interface TimelineStyle {
  /** Characters in a line. */
  readonly columns: number;
  readonly colour: boolean;
  /** Whether block characters may be used; else ASCII. */
  readonly unicode: boolean;
}

const GUTTER = 10;

/** Draws a scene in characters: above as planned, below at its worst. */
export function toTimeline(scene: Scene, style: TimelineStyle): string {
  const paint = painter(style);
  const width = Math.max(20, Math.min(style.columns, 120) - GUTTER - 1);
  const column = (at: number) => Math.min(width - 1, Math.floor((at / scene.untilMs) * width));
  const axis = axisOf(scene.untilMs, width / 6);
  const draw = (title: string, simulation: Simulation) => [
    `${title}: ${spareText(simulation)}`,
    row(axis.unit, marksOf(axis.marks, width, column)),
    row("runs", runsOf(simulation, width, column, paint)),
    ...barsOf(simulation, width, column, paint),
  ];
  return [
    ...draw("As planned", scene.asPlanned),
    "",
    ...draw("At its worst", scene.atWorst),
    "",
    `runs: ${paint.run} nothing was due, ${paint.rotated} rotated, ${paint.missed} missed; tokens: ${paint.held} in use, ` +
      `${paint.alive} good, not in use${scene.atWorst.gaps.length > 0 ? `, ${paint.dead} in use and dead` : ""}`,
    "",
  ].join("\n");
}

interface Painter {
  readonly run: string;
  readonly rotated: string;
  readonly missed: string;
  readonly held: string;
  readonly alive: string;
  readonly dead: string;
}

function painter({ colour, unicode }: TimelineStyle): Painter {
  const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const glyphs = unicode ? ["·", "▼", "✗", "█", "░", "▓"] : [".", "v", "x", "=", "-", "!"];
  const [run = "", rotated = "", missed = "", held = "", alive = "", dead = ""] = glyphs;
  return {
    run,
    rotated: paint(36, rotated),
    missed: paint(33, missed),
    held: paint(32, held),
    alive: paint(32, alive),
    dead: paint(31, dead),
  };
}

const row = (name: string, cells: string) => `${name.padEnd(GUTTER)}${cells}`.trimEnd();

function marksOf(marks: readonly { at: number; label: string }[], width: number, column: (at: number) => number): string {
  let line = "";
  for (const { at, label } of marks) {
    const start = column(at);
    if (start > line.length || start === 0) line = line.padEnd(start) + (start + label.length <= width ? label : "");
  }
  return line;
}

/** Where several runs fall on one character, the one that tells the most is shown. */
function runsOf({ runs }: Simulation, width: number, column: (at: number) => number, paint: Painter): string {
  const cells = Array.from({ length: width }, () => " ");
  const rank = [" ", paint.run, paint.rotated, paint.missed];
  for (const { deed, plannedAt, startedAt, outcome } of runs) {
    const glyph = outcome === "missed" || deed === "failed" ? paint.missed : deed === "rotated" ? paint.rotated : paint.run;
    const at = column(outcome === "missed" ? plannedAt : startedAt);
    if (rank.indexOf(glyph) > rank.indexOf(cells[at] ?? " ")) cells[at] = glyph;
  }
  return cells.join("");
}

function barsOf({ tokens }: Simulation, width: number, column: (at: number) => number, paint: Painter): string[] {
  return tokens.map((token, index) => row(`token ${index + 1}`, barOf(token, width, column, paint)));
}

function barOf(
  { issuedAt, expiresAt, heldFrom, heldUntil }: HeldToken,
  width: number,
  column: (at: number) => number,
  paint: Painter,
): string {
  const cells = Array.from({ length: width }, () => " ");
  const fill = (from: number, to: number, glyph: string) => {
    for (let cell = column(from); cell < Math.max(column(to), column(from) + 1) && cell < width; cell++) cells[cell] = glyph;
  };
  fill(Math.max(0, issuedAt), expiresAt, paint.alive);
  fill(heldFrom, Math.min(heldUntil, expiresAt), paint.held);
  // A gap is seen, however short it is.
  if (heldUntil > expiresAt) fill(expiresAt, heldUntil, paint.dead);
  return cells.join("").trimEnd();
}
