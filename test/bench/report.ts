import { differenceOf, type Outcome, ratioOf, spreadOf } from "./pairs";

type Comparisons = readonly (readonly Outcome[])[];

/**
 * The table of docs/speed.md: how much longer a command takes with tokens than without, and than
 * with hashicorp/http, as medians of the rounds. Each comparison ran together, in turns.
 */
export function costsMarkdown(comparisons: Comparisons): string {
  const rows = comparisons.map(([ours, none, http]) => {
    if (ours === undefined || none === undefined) return [];
    const more = (["clock", "processor"] as const).map((of) => {
      const { median } = differenceOf(ours, none, of);
      return Number.isNaN(median) ? "" : `${Number((median / 1000).toPrecision(2))} s`;
    });
    const ratios = [none, http].map((other) => other && ratioOf(ours, other).median.toFixed(2));
    return [ours.name, ...more, ...ratios, ours.requests];
  });
  const times = ["extra time", "of the processor"];
  return markdown(["command", ...times, "÷ without tokens", "÷ hashicorp/http", "requests"], rows);
}

/** Commands of this checkout and of another: the medians, and the range of the middle half. */
export function ratiosMarkdown(comparisons: Comparisons): string {
  const rows = comparisons.map(([here, there]) => {
    if (here === undefined || there === undefined) return [];
    const times = [here, there].map(
      ({ times }) => `${spreadOf(times.map(({ clock }) => clock)).median.toFixed(0)} ms`,
    );
    const { median, lower, upper } = ratioOf(here, there);
    const half = `${lower.toFixed(3)} to ${upper.toFixed(3)}`;
    const processor = ratioOf(here, there, "processor").median.toFixed(3);
    return [here.name, ...times, median.toFixed(3), half, processor];
  });
  const ratios = ["here ÷ there", "middle half", "of the processor"];
  return markdown(["command", "here", "there", ...ratios], rows);
}

/** A table, with its head. */
function markdown(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell ?? "").join(" | ")} |`)
    .join("\n");
}
