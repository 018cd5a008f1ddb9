import { differenceOf, type Outcome, ratioOf } from "./pairs";

/**
 * The table of docs/api/speed.md: how much longer a command takes with tokens than without, and than
 * with hashicorp/http, as medians of the rounds. Each comparison ran together, in turns.
 */
export function costsMarkdown(comparisons: readonly (readonly Outcome[])[]): string {
  const rows = comparisons.map(([ours, none, http]) => {
    if (ours === undefined || none === undefined) return [];
    const more = `${Number((differenceOf(ours, none) / 1000).toPrecision(2))} s`;
    const ratios = [none, http].map((other) => other && ratioOf(ours, other).toFixed(2));
    return [ours.name, more, ...ratios, ours.requests];
  });
  const head = ["command", "extra time", "÷ without tokens", "÷ hashicorp/http", "requests"];
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell ?? "").join(" | ")} |`)
    .join("\n");
}
