import type { HeldToken, Simulation } from "../../tokens/rotation/simulate";
import { axisOf, type ScheduleChart } from "./chart";
import { resultOf, settingsOf, spareText } from "./report";
import type { Verdict } from "./verdict";

const WIDTH = 960;
const LEFT = 84;
const RIGHT = 28;
const BAR = 20;
const ROW = 30;

/**
 * Colours that differ in both schemes. Everything important also has its own form: a cross, a
 * hatching, a word.
 */
const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 17px; font-weight: 600; }
.note { fill: #59636e; }
.paper { fill: #ffffff; }
.grid { stroke: #d1d9e0; }
.alive { fill: #cfe8d5; stroke: #2da44e; }
.held { fill: #2da44e; }
.spare { fill: none; stroke: #0969da; stroke-width: 2; }
.spare-text { fill: #0969da; }
.run { stroke: #59636e; stroke-width: 2; }
.edge { stroke: #ffffff; stroke-width: 4; }
.rotated { fill: #0969da; }
.missed { stroke: #9a6700; stroke-width: 2.5; }
.dead { fill: #cf222e; }
.hatch { stroke: #ffffff; stroke-width: 2; }
.bad { fill: #cf222e; font-weight: 600; }
.fine { font-weight: 600; }
.on-bar { fill: #ffffff; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .note { fill: #9198a1; }
  .paper { fill: #0d1117; }
  .grid { stroke: #3d444d; }
  .alive { fill: #12381d; stroke: #3fb950; }
  .held { fill: #2ea043; }
  .spare { stroke: #4493f8; }
  .spare-text { fill: #4493f8; }
  .run { stroke: #9198a1; }
  .edge { stroke: #0d1117; }
  .rotated { fill: #4493f8; }
  .missed { stroke: #d29922; }
  .dead { fill: #f85149; }
  .hatch { stroke: #0d1117; }
  .bad { fill: #f85149; }
}`;

/**
 * Draws the chart as SVG: as planned above, the worst case below. Only whole numbers, so that the
 * same input gives the same bytes.
 */
export function toPicture(verdict: Verdict, chart: ScheduleChart): string {
  const x = (at: number) =>
    Math.round(
      LEFT + (Math.min(Math.max(at, 0), chart.untilMs) / chart.untilMs) * (WIDTH - LEFT - RIGHT),
    );
  const { result, sum } = resultOf(verdict);
  const notes = [settingsOf(verdict), sum].flatMap((text) => wrapped(text));
  let y = 30;
  const parts = [line("title", 20, y, `iam-tokens schedule: ${verdict.title}`)];
  y += 22;
  parts.push(...notes.map((text, index) => line("note", 20, y + index * 18, text)));
  y += 18 * notes.length + 6;
  const summary = wrapped(result);
  const colour = verdict.plan === undefined ? "bad" : "fine";
  parts.push(...summary.map((text, index) => line(colour, 20, y + index * 18, text)));
  y += 18 * summary.length + 12;
  for (const [title, simulation] of [
    ["As planned", chart.asPlanned],
    ["At its worst", chart.atWorst],
  ] as const) {
    const panel = toPanel(title, simulation, chart.untilMs, y, x);
    parts.push(panel.svg);
    y = panel.bottom + 34;
  }
  parts.push(legend(y, chart.atWorst.gaps.length > 0));
  y += LEGEND_ROW + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-labelledby="t d">`,
    `<title id="t">${escaped(settingsOf(verdict))}</title>`,
    `<desc id="d">${escaped(`${result} ${sum} At its worst: ${spareText(chart.atWorst)}.`)}</desc>`,
    `<style>${STYLE}\n</style>`,
    '<defs><pattern id="h" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="dead" width="7" height="7"/><path class="hatch" d="M0 0V7"/></pattern></defs>',
    `<rect class="paper" width="${WIDTH}" height="${y}"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

interface Panel {
  readonly svg: string;
  readonly bottom: number;
}

function toPanel(
  title: string,
  simulation: Simulation,
  untilMs: number,
  top: number,
  x: (at: number) => number,
): Panel {
  const { tokens, runs, gaps } = simulation;
  const runsAt = top + 26;
  const bars = runsAt + 18;
  const bottom = bars + tokens.length * ROW + 4;
  const axis = axisOf(untilMs, 14);
  const parts = [
    line("title", 20, top, title),
    line(gaps.length > 0 ? "bad" : "spare-text", 150, top, spareText(simulation)),
    ...axis.marks.map(
      ({ at, label }) =>
        `<path class="grid" d="M${x(at)} ${top + 12}V${bottom}"/>${centred("note", x(at), bottom + 16, label)}`,
    ),
    line("note", 20, runsAt + 4, "runs"),
    // Runs with nothing due are hidden by others: they are the thinnest.
    ...runs.filter(({ result }) => result !== "nothing was due").map((run) => mark(run, x, runsAt)),
    ...runs.filter(({ result }) => result === "nothing was due").map((run) => mark(run, x, runsAt)),
    ...tokens.flatMap((token, index) =>
      bar(token, `token ${index + 1}`, index + 1 < tokens.length, bars + index * ROW, untilMs, x),
    ),
    `<text class="note" x="20" y="${bottom + 16}">${axis.unit}</text>`,
  ];
  return { svg: `<g>\n${parts.join("\n")}\n</g>`, bottom: bottom + 16 };
}

function mark(
  { result, plannedAt, startedAt }: Simulation["runs"][number],
  x: (at: number) => number,
  y: number,
): string {
  const at = x(result === "missed" ? plannedAt : startedAt);
  if (result === "missed" || result === "failed")
    return `<path class="missed" d="M${at - 5} ${y - 5}l10 10m0 -10l-10 10"/>`;
  if (result === "rotated") return `<path class="rotated" d="M${at - 6} ${y - 6}h12l-6 12z"/>`;
  const tick = `d="M${at} ${y - 9}v18"`;
  return `<path class="edge" ${tick}/><path class="run" ${tick}/>`;
}

function bar(
  token: HeldToken,
  name: string,
  hasNext: boolean,
  top: number,
  untilMs: number,
  x: (at: number) => number,
): string[] {
  const { issuedAt, expiresAt, heldFrom, heldUntil } = token;
  const box = (name: string, from: number, to: number, attributes = "") =>
    `<rect class="${name}" x="${x(from)}" y="${top}" width="${Math.max(x(to) - x(from), 1)}" height="${BAR}"${attributes}/>`;
  const parts = [line("", 20, top + 15, name), box("alive", issuedAt, expiresAt, ' rx="3"')];
  if (heldFrom < Math.min(heldUntil, expiresAt))
    parts.push(box("held", heldFrom, Math.min(heldUntil, expiresAt), ' rx="3"'));
  if (heldUntil > expiresAt) {
    const from = x(expiresAt);
    const width = Math.max(x(heldUntil) - from, 4);
    parts.push(`<rect x="${from}" y="${top}" width="${width}" height="${BAR}" fill="url(#h)"/>`);
    const beside = from + width + 40 < WIDTH;
    parts.push(
      beside
        ? line("bad", from + width + 6, top + 15, "gap")
        : line("on-bar", from - 32, top + 15, "gap"),
    );
  } else if (hasNext && x(expiresAt) - x(heldUntil) > 2) {
    // From the last use of the old token to its expiry: the reserve of the schedule.
    const end = expiresAt > untilMs ? "" : "m0 -4v8";
    parts.push(
      `<path class="spare" d="M${x(heldUntil)} ${top + BAR + 1}v8m0 -4H${x(expiresAt)}${end}"/>`,
    );
  }
  return parts;
}

const LEGEND_COLUMN = (WIDTH - 40) / 4;
const LEGEND_ROW = 24;

/** A row for runs, one for tokens: in columns, because the width of a font is unknown. */
function legend(y: number, gap: boolean): string {
  const rows: readonly (readonly (readonly [string, string])[])[] = [
    [
      ['<path class="run" d="M8 -14v18"/>', "run, nothing due"],
      ['<path class="rotated" d="M2 -10h12l-6 12z"/>', "run that rotates"],
      ['<path class="missed" d="M3 -9l10 10m0 -10l-10 10"/>', "missed run"],
    ],
    [
      ['<rect class="held" y="-11" width="16" height="12" rx="2"/>', "token in use"],
      ['<rect class="alive" y="-11" width="16" height="12" rx="2"/>', "valid, not in use"],
      ['<path class="spare" d="M0 -4h16m0 -4v8M0 -8v8"/>', "overlap to spare"],
      ...(gap
        ? [
            [
              '<rect y="-11" width="16" height="12" fill="url(#h)"/>',
              "gap: expired in use",
            ] as const,
          ]
        : []),
    ],
  ];
  return rows
    .flatMap((items, row) =>
      items.map(([shape, text], column) => {
        const place = `translate(${20 + column * LEGEND_COLUMN} ${y + row * LEGEND_ROW})`;
        return `<g transform="${place}">${shape}<text class="note" x="24" y="0">${text}</text></g>`;
      }),
    )
    .join("\n");
}

const line = (name: string, x: number, y: number, text: string) =>
  `<text${name === "" ? "" : ` class="${name}"`} x="${x}" y="${y}">${escaped(text)}</text>`;
const centred = (name: string, x: number, y: number, text: string) =>
  `<text class="${name}" x="${x}" y="${y}" text-anchor="middle">${escaped(text)}</text>`;

/** As few lines as possible, of about equal length: no single word in the last one. */
function wrapped(text: string): readonly string[] {
  const { length } = brokenAt(125, text);
  let most = Math.ceil(text.length / length);
  while (brokenAt(most, text).length > length) most++;
  return brokenAt(most, text);
}

/** Lines up to this length, broken at spaces. */
function brokenAt(most: number, text: string): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > most) {
      lines.push(current);
      current = word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const escaped = (text: string) =>
  text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
