import type { Course, ScheduleChart } from "../../rotation/schedule-chart";
import { formatExact } from "../../tokens";
import { spareText } from "./report";
import type { Verdict } from "./verdict";

/** More than these would make a chart that nobody reads. */
const MOST_TOKENS = 8;

/** The chart in Mermaid's language, which GitHub, GitLab and editors draw. */
export function toMermaid({ title, settings }: Verdict, chart: ScheduleChart): string {
  const { asPlanned, atWorst, untilMs } = chart;
  const { intervalMs, missedRuns, startDelayMs } = settings;
  const late = atWorst.runs
    .slice(-1)
    .flatMap(({ plannedAt, startedAt, endedAt }) => [
      ...bar(
        `missed runs (${missedRuns}) and start delay (${formatExact(startDelayMs)})`,
        "",
        plannedAt - (missedRuns + 1) * intervalMs,
        startedAt,
      ),
      ...bar("run that rotates", "", startedAt, endedAt),
    ]);
  const lines = [
    `title ${title}`,
    "dateFormat YYYY-MM-DDTHH:mm:ss",
    "axisFormat day %-j, %H:%M",
    `section As planned, ${spareText(asPlanned)}`,
    ...barsOf(asPlanned, untilMs),
    `section At its worst, ${spareText(atWorst)}`,
    ...late,
    ...barsOf(atWorst, untilMs),
  ];
  return `${["gantt", ...lines.map((line) => `  ${line}`)].join("\n")}\n`;
}

function barsOf({ tokens }: Course, untilMs: number): string[] {
  return tokens
    .slice(0, MOST_TOKENS)
    .flatMap(({ issuedAt, expiresAt, heldFrom, heldUntil }, index) => {
      const name = `token ${index + 1}`;
      return [
        ...bar(`${name} is in use`, "active, ", heldFrom, Math.min(heldUntil, expiresAt)),
        ...bar(`${name} expired in use`, "crit, ", expiresAt, heldUntil),
        ...bar(`${name} is valid, not in use`, "done, ", issuedAt, heldFrom),
        ...bar(`${name} is valid, not in use`, "done, ", heldUntil, Math.min(expiresAt, untilMs)),
      ];
    });
}

/** Nothing if it has no length. */
function bar(name: string, tag: string, from: number, to: number): string[] {
  // A gap is visible, however short it is.
  return to <= from ? [] : [`${name} :${tag}${dateOf(from)}, ${dateOf(Math.max(to, from + 1000))}`];
}

/** Mermaid draws dates: day 1 begins with the first token. */
function dateOf(at: number): string {
  return new Date(Date.UTC(2001, 0, 1) + Math.max(0, at)).toISOString().slice(0, 19);
}
