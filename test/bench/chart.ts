import { type Outcome, spreadOf } from "./pairs";
import type { Section } from "./section";

const WIDTH = 960;
const LEFT = 372;
const RIGHT = 96;
const ROW = 26;
const BAR = 18;

/** Meaning of a colour: a bar's class, and how to recognize it. */
const KINDS = [
  ["ours", "this package"],
  ["other", "providers of others, in Go"],
  ["floor", "Terraform alone"],
] as const;

/** Colour and name distinguish ours from the others. */
const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.note { fill: #59636e; }
.paper { fill: #ffffff; }
.grid { stroke: #d1d9e0; }
.ours { fill: #0969da; }
.other { fill: #8c959f; }
.floor { fill: #d1d9e0; }
.half { stroke: #1f2328; stroke-width: 1.5; fill: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .note { fill: #9198a1; }
  .paper { fill: #0d1117; }
  .grid { stroke: #3d444d; }
  .ours { fill: #4493f8; }
  .other { fill: #6e7681; }
  .floor { fill: #3d444d; }
  .half { stroke: #f0f6fc; }
}`;

/**
 * Draws what plans took: a panel a section, a bar an outcome, over it where half of the rounds lie.
 */
export function toChart(title: string, note: string, sections: readonly Section[]): string {
  const parts: string[] = [text("title", 20, 30, title), text("note", 20, 52, note)];
  for (const [index, [kind, meaning]] of KINDS.entries()) {
    const x = 20 + index * 230;
    parts.push(`<rect class="${kind}" x="${x}" y="66" width="16" height="12"/>`);
    parts.push(text("note", x + 24, 77, meaning));
  }
  let y = 118;
  for (const section of sections) {
    const { svg, bottom } = panel(section, y);
    parts.push(svg);
    y = bottom + 44;
  }
  const height = y - 20;
  const summary = sections
    .map(
      ({ title: what, outcomes }) =>
        `${what}: ${outcomes.map((outcome) => `${outcome.name} ${label(outcome)}`).join(", ")}.`,
    )
    .join(" ");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="t d">`,
    `<title id="t">${escaped(title)}</title>`,
    `<desc id="d">${escaped(summary)}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function panel({ title, outcomes, floor }: Section, top: number): { svg: string; bottom: number } {
  const most = Math.max(...outcomes.map(({ times }) => spreadOf(times).upper));
  const step = stepOf(most);
  const x = (ms: number) => Math.round(LEFT + (ms / most) * (WIDTH - LEFT - RIGHT));
  const bottom = top + 16 + outcomes.length * ROW;
  const parts = [text("title", 20, top, title)];
  for (let at = 0; at <= most; at += step) {
    parts.push(`<path class="grid" d="M${x(at)} ${top + 10}V${bottom}"/>`);
    parts.push(
      `<text class="note" x="${x(at)}" y="${bottom + 15}" text-anchor="middle">${at === 0 ? "0" : `${at} ms`}</text>`,
    );
  }
  for (const [index, outcome] of outcomes.entries()) {
    const { median, lower, upper } = spreadOf(outcome.times);
    const y = top + 16 + index * ROW;
    const middle = y + BAR / 2;
    const kind: (typeof KINDS)[number][0] =
      outcome.name === floor ? "floor" : outcome.name.startsWith("ours") ? "ours" : "other";
    parts.push(
      `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end">${escaped(outcome.name)}</text>`,
      `<rect class="${kind}" x="${LEFT}" y="${y}" width="${Math.max(x(median) - LEFT, 1)}" height="${BAR}"/>`,
      `<path class="half" d="M${x(lower)} ${middle}H${x(upper)}M${x(lower)} ${middle - 4}v8M${x(upper)} ${middle - 4}v8"/>`,
      text("note", x(Math.max(median, upper)) + 8, y + 14, label(outcome)),
    );
  }
  return { svg: `<g>\n${parts.join("\n")}\n</g>`, bottom: bottom + 15 };
}

/** 1, 2 or 5 times a power of ten, for at most about seven marks. */
function stepOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 7));
  return ([1, 2, 5, 10].find((times) => most / (times * power) <= 7) ?? 10) * power;
}

const label = ({ times }: Outcome) => `${spreadOf(times).median.toFixed(0)} ms`;
const text = (name: string, x: number, y: number, what: string) =>
  `<text class="${name}" x="${x}" y="${y}">${escaped(what)}</text>`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const escaped = (what: string) =>
  what.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
