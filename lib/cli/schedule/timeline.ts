import type { Course, ScheduleChart } from "../../rotation/schedule-chart";
import { spareText } from "./report";

/** Options of {@link toTimeline}. */
interface TimelineStyle {
  /** Characters in a line. */
  readonly columns: number;
  readonly colour: boolean;
  /** Whether block characters may be used; else ASCII. */
  readonly unicode: boolean;
}

const GUTTER = 10;

/** Draws the chart with characters: as planned above, the worst case below. */
export function toTimeline(chart: ScheduleChart, style: TimelineStyle): string {
  const paint = (cells: readonly Cell[]) => painted(cells, style);
  const width = Math.max(20, Math.min(style.columns, 120) - GUTTER - 1);
  const column = (at: number) => Math.min(width - 1, Math.floor((at / chart.untilMs) * width));
  const axis = axisOf(chart.untilMs, width / 6);
  const draw = (title: string, course: Course) => [
    `${title}: ${spareText(course)}`,
    row(axis.unit, marksOf(axis.marks, width, column)),
    row("runs", paint(runsOf(course, width, column))),
    ...course.tokens.map((token, index) =>
      row(`token ${index + 1}`, paint(barOf(token, width, column))),
    ),
  ];
  return [
    ...draw("As planned", chart.asPlanned),
    "",
    ...draw("At its worst", chart.atWorst),
    "",
    `runs: ${paint(["run"])} nothing was due, ${paint(["rotated"])} rotated, ${paint(["missed"])} missed`,
    `tokens: ${paint(["held"])} in use, ${paint(["alive"])} valid, not in use, ${paint(["dead"])} in use but expired`,
    "",
  ].join("\n");
}

/** Meaning of a character of the timeline. */
type Cell = "nothing" | "run" | "rotated" | "missed" | "held" | "alive" | "dead";

const GLYPHS: Readonly<
  Record<
    Cell,
    { readonly block: string; readonly ascii: string; readonly colour: number | undefined }
  >
> = {
  nothing: { block: " ", ascii: " ", colour: undefined },
  run: { block: "·", ascii: ".", colour: undefined },
  rotated: { block: "▼", ascii: "v", colour: 36 },
  missed: { block: "✗", ascii: "x", colour: 33 },
  held: { block: "█", ascii: "=", colour: 32 },
  alive: { block: "░", ascii: "-", colour: 32 },
  dead: { block: "▓", ascii: "!", colour: 31 },
};

/**
 * The string for cells, with one colour sequence for equal neighbours; trailing empty cells are
 * dropped.
 */
function painted(cells: readonly Cell[], { colour, unicode }: TimelineStyle): string {
  const end = cells.findLastIndex((cell) => cell !== "nothing") + 1;
  let text = "";
  let before: number | undefined;
  for (const cell of cells.slice(0, end)) {
    const { block, ascii, colour: code } = GLYPHS[cell];
    if (colour && code !== before) text += `\u001b[${code ?? 0}m`;
    before = code;
    text += unicode ? block : ascii;
  }
  return colour && before !== undefined ? `${text}\u001b[0m` : text;
}

const row = (name: string, cells: string) => `${name.padEnd(GUTTER)}${cells}`.trimEnd();

function marksOf(
  marks: readonly { at: number; label: string }[],
  width: number,
  column: (at: number) => number,
): string {
  let line = "";
  for (const { at, label } of marks) {
    const start = column(at);
    if (start > line.length || start === 0)
      line = line.padEnd(start) + (start + label.length <= width ? label : "");
  }
  return line;
}

/** If several runs share a character, the most important one is visible. */
function runsOf({ runs }: Course, width: number, column: (at: number) => number): Cell[] {
  const cells = empty(width);
  const rank: readonly Cell[] = ["nothing", "run", "rotated", "missed"];
  for (const { result, startedAt } of runs) {
    const cell = result === "nothing was due" ? "run" : result;
    const at = column(startedAt);
    if (rank.indexOf(cell) > rank.indexOf(cells[at] ?? "nothing")) cells[at] = cell;
  }
  return cells;
}

function barOf(
  { issuedAt, expiresAt, heldFrom, heldUntil }: Course["tokens"][number],
  width: number,
  column: (at: number) => number,
): Cell[] {
  const cells = empty(width);
  const fill = (from: number, to: number, cell: Cell) =>
    cells.fill(cell, column(from), Math.max(column(to), column(from) + 1));
  fill(Math.max(0, issuedAt), expiresAt, "alive");
  if (heldFrom < expiresAt) fill(heldFrom, Math.min(heldUntil, expiresAt), "held");
  // A gap is visible, however short it is.
  if (heldUntil > expiresAt) fill(expiresAt, heldUntil, "dead");
  return cells;
}

const empty = (width: number): Cell[] => Array.from({ length: width }, () => "nothing");

/** The marks of an axis of time. */
interface Axis {
  readonly unit: "minutes" | "hours" | "days";
  readonly marks: readonly { readonly at: number; readonly label: string }[];
}

const MINUTE_MS = 60_000;
const STEPS_MIN = [
  1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 7200, 14_400, 43_200, 144_000,
  525_600,
];

/** Marks from 0 on, with about this maximum number. */
function axisOf(untilMs: number, mostMarks: number): Axis {
  const minutes = STEPS_MIN.find((step) => untilMs / (step * MINUTE_MS) <= mostMarks) ?? 5_256_000;
  const [unit, inUnit] =
    minutes >= 2880
      ? (["days", 1440] as const)
      : minutes >= 60
        ? (["hours", 60] as const)
        : (["minutes", 1] as const);
  const marks = [];
  for (let at = 0; at <= untilMs; at += minutes * MINUTE_MS)
    marks.push({ at, label: String(at / MINUTE_MS / inUnit) });
  return { unit, marks };
}
