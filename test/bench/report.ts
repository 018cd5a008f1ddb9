import { type Outcome, ratioOf, spreadOf } from "./pairs";

/** The contestant without our tokens. */
export const NONE = "none";
/** The same request, by the data source of somebody else's provider, which is written in Go. */
export const HTTP = "hashicorp/http";

/**
 * The table of docs/speed.md: how much longer a command takes with tokens, as medians of the
 * rounds. Each comparison ran together, in turns.
 */
export function costsMarkdown(comparisons: readonly (readonly Outcome[])[]): string {
  const rows = comparisons.flatMap((outcomes) => {
    const [none, http] = [NONE, HTTP].map((name) => outcomes.find((each) => each.name === name));
    if (none === undefined) return [];
    return outcomes
      .filter((outcome) => outcome !== none && outcome !== http)
      .map((outcome) => {
        const more = outcome.times.map((time, at) => time - (none.times[at] ?? Number.NaN));
        return [
          outcome.name,
          `${Number((spreadOf(more).median / 1000).toPrecision(2))} s`,
          ratioOf(outcome, none).median.toFixed(2),
          http === undefined ? "" : ratioOf(outcome, http).median.toFixed(2),
          String(outcome.requests),
        ];
      });
  });
  return markdown(["command", "extra time", "÷ without tokens", `÷ ${HTTP}`, "requests"], ...rows);
}

/** A table, with its head. */
export function markdown(head: readonly string[], ...rows: (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}
