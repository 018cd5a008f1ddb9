import { type Outcome, ratioOf, spreadOf } from "./pairs";

/** What ran together, in turns. */
export interface Comparison {
  readonly outcomes: readonly Outcome[];
  /** The outcome without our tokens. */
  readonly floor: string;
  /** That of another provider. */
  readonly peer?: string;
}

/**
 * The table of docs/speed.md: how much longer a command takes with tokens, as medians of the
 * rounds.
 */
export function costsMarkdown(comparisons: readonly Comparison[]): string {
  const rows = comparisons.flatMap(({ outcomes, floor, peer }) => {
    const [none, other] = [floor, peer].map((name) =>
      outcomes.find((outcome) => outcome.name === name),
    );
    if (none === undefined) throw new Error(`${floor} was not measured.`);
    return outcomes
      .filter((outcome) => outcome !== none && outcome !== other)
      .map((outcome) => {
        const more = spreadOf(
          outcome.times.map((time, at) => time - (none.times[at] ?? Number.NaN)),
        );
        return [
          outcome.name,
          `${Number((more.median / 1000).toPrecision(2))} s`,
          ratioOf(outcome, none).median.toFixed(2),
          other === undefined ? "" : ratioOf(outcome, other).median.toFixed(2),
          String(outcome.requests),
        ];
      });
  });
  const head = ["command", "extra time", "÷ without tokens", "÷ hashicorp/http", "requests"];
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}
