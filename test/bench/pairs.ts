/** One thing that is timed: gives the milliseconds of one run. */
export interface Contestant {
  readonly name: string;
  run(): Promise<number>;
}

export interface Outcome {
  readonly name: string;
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Times contestants in turn, A B A B …, so that a machine that gets slower is slower for all of them; the first round is not
 * counted.
 */
export async function measure(contestants: readonly Contestant[], rounds: number): Promise<Outcome[]> {
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, run } of contestants) {
      const time = await run();
      if (round > 0) times.get(name)?.push(time);
    }
  }
  return [...times].map(([name, all]) => {
    const sorted = all.sort((a, b) => a - b);
    return { name, median: sorted[Math.floor(sorted.length / 2)] ?? 0, least: sorted[0] ?? 0, most: sorted.at(-1) ?? 0 };
  });
}

/** The outcomes as lines, each with its ratio to the last contestant, which is the floor. */
export function table(outcomes: readonly Outcome[]): string[] {
  const floor = outcomes.at(-1)?.median ?? 1;
  const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(10);
  return outcomes.map(
    ({ name, median, least, most }) =>
      `  ${name.padEnd(58)} ${ms(median)}   (${ms(least).trim()} to ${ms(most).trim()})   ${(median / floor).toFixed(2)}`,
  );
}
