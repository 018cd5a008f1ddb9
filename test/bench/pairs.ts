/** One thing that is timed: gives the milliseconds of one run. */
export interface Contestant {
  readonly name: string;
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

/** The median, and the range in which half of the values lie. */
export function spreadOf(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => {
    const place = (sorted.length - 1) * part;
    const [below = Number.NaN, above = below] = sorted.slice(Math.floor(place));
    return below + (above - below) * (place % 1);
  };
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) };
}

/**
 * How many times as long one takes as another, round by round: what slowed a round down slowed
 * both.
 */
export function ratioOf(outcome: Outcome, to: Outcome) {
  return spreadOf(outcome.times.map((time, round) => time / (to.times[round] ?? Number.NaN)));
}
