/** One thing that is timed. */
export interface Contestant {
  readonly name: string;
  /** Milliseconds. */
  run(): Promise<number>;
}

export interface Outcome {
  readonly name: string;
  /** Milliseconds of each round. The same index is the same round for all that ran together. */
  readonly times: readonly number[];
  /** The most requests for a token that one run has made. */
  readonly requests: number;
}

/**
 * Times contestants in turn, A B A B …: a machine that gets slower is slower for all of them; the
 * first round is not counted. Each round begins with another one: else one would always run in the
 * wake of the same other.
 *
 * @param requests How many requests have been made until now.
 * @param onRound Called when a round is over.
 */
export async function measure(
  contestants: readonly Contestant[],
  rounds: number,
  requests: () => number,
  onRound?: (round: number) => void,
): Promise<Outcome[]> {
  const found = contestants.map(({ name, run }) => {
    return { run, outcome: { name, times: [] as number[], requests: 0 } };
  });
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % found.length;
    for (const { run, outcome } of [...found.slice(first), ...found.slice(0, first)]) {
      const before = requests();
      const time = await run();
      if (round === 0) continue;
      outcome.times.push(time);
      outcome.requests = Math.max(outcome.requests, requests() - before);
    }
    onRound?.(round);
  }
  return found.map(({ outcome }) => outcome);
}

/** How many times as long one takes as another, round by round: the median. */
export const ratioOf = (outcome: Outcome, to: Outcome) =>
  medianOf(outcome, to, (time, other) => time / other);

/** How much longer one takes than another, round by round: the median. */
export const differenceOf = (outcome: Outcome, to: Outcome) =>
  medianOf(outcome, to, (time, other) => time - other);

/** What slowed a round down slowed both. */
function medianOf(
  { times }: Outcome,
  to: Outcome,
  compare: (time: number, other: number) => number,
): number {
  const sorted = times
    .map((time, round) => compare(time, to.times[round] ?? Number.NaN))
    .sort((a, b) => a - b);
  const [lower = Number.NaN, upper = lower] = sorted.slice(
    Math.ceil(sorted.length / 2) - 1,
    Math.floor(sorted.length / 2) + 1,
  );
  return (lower + upper) / 2;
}
