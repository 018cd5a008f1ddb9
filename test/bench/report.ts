import { type Outcome, ratioOf, spreadOf } from "./pairs";
import { type Figure, holds, outcomeOf, type Section } from "./section";

/**
 * A section as lines for people: medians, between what half of the rounds lie, the ratio to the
 * floor with the same.
 */
export function sectionLines({ title, outcomes, floor, notes = [] }: Section): string[] {
  const rows = rowsOf(outcomes, floor);
  const width = Math.max(...rows.map(([name = ""]) => name.length), 0);
  return [
    title,
    ...rows.map(
      ([name = "", ...cells]) =>
        `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(22)).join("")}`,
    ),
    ...notes.map((note) => `  ${note}`),
    "",
  ];
}

/** The same for a page. */
export function sectionMarkdown({ title, outcomes, floor, notes = [] }: Section): string {
  const [head = [], ...rows] = rowsOf(outcomes, floor);
  const table =
    outcomes.length === 0 ? [] : [row(head), row(head.map(() => "---")), ...rows.map(row), ""];
  return [
    `### ${title}`,
    "",
    ...table,
    ...notes.map((note) => `- ${note}`),
    ...(notes.length > 0 ? [""] : []),
  ].join("\n");
}

export function figureLines(figures: readonly Figure[]): string[] {
  const width = Math.max(...figures.map(({ what }) => what.length), 0);
  return figures.map((figure) => {
    const [what = "", most = "", measured = "", verdict = ""] = figureCells(figure);
    return `  ${what.padEnd(width)}  at most ${most.padEnd(6)}  ${measured.padEnd(36)}  ${verdict}`;
  });
}

export function figuresMarkdown(figures: readonly Figure[]): string {
  return [
    row(["figure", "at most", "measured", ""]),
    row(["---", "---", "---", "---"]),
    ...figures.map((figure) => row(figureCells(figure))),
  ].join("\n");
}

/** How much longer a command takes with tokens, for those who only want to know that. */
export function costsMarkdown(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ outcomes, floor, costs = [] }) =>
    costs.flatMap(([what, name]) => {
      const [outcome, to] = [name, floor].map((each) => outcomes.find((one) => one.name === each));
      if (outcome === undefined || to === undefined) return [];
      const more = spreadOf(outcome.times.map((time, at) => time - (to.times[at] ?? Number.NaN)));
      return [[what, `${Number((more.median / 1000).toPrecision(2))} s`, outcome.requests ?? 0]];
    }),
  );
  return [["command", "extra time", "requests"], ["---", "---", "---"], ...rows]
    .map((cells) => row(cells.map(String)))
    .join("\n");
}

function figureCells(figure: Figure): string[] {
  const { what, most, measured, unit } = figure;
  const { median, lower, upper } = measured;
  const text =
    unit === undefined
      ? `${ratio(median)} (${ratio(lower)} to ${ratio(upper)})`
      : `${plain(median)} ${unit}`.trim();
  return [what, String(most), text, holds(figure) ? "holds" : "MISSED"];
}

function rowsOf(outcomes: readonly Outcome[], floor: string | undefined): string[][] {
  if (outcomes.length === 0) return [];
  const counted = outcomes.some(({ requests }) => requests !== undefined);
  const head = [
    "",
    "median",
    "half of the rounds",
    "times the floor",
    ...(counted ? ["requests"] : []),
  ];
  const to = floor === undefined ? undefined : outcomeOf(outcomes, floor);
  return [
    head,
    ...outcomes.map((outcome) => {
      const { median, lower, upper } = spreadOf(outcome.times);
      const times = to === undefined ? undefined : ratioOf(outcome, to);
      return [
        outcome.name,
        ms(median),
        `${ms(lower)} to ${ms(upper)}`,
        times === undefined || outcome === to
          ? ""
          : `${ratio(times.median)} (${ratio(times.lower)}-${ratio(times.upper)})`,
        ...(counted ? [String(outcome.requests ?? "")] : []),
      ];
    }),
  ];
}

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const ms = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
const ratio = (value: number) => value.toFixed(2);
const plain = (value: number) => String(Number(value.toFixed(2)));
