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

/** The median, and the range in which half of the values lie. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

export interface MeasureOptions {
  /** How many requests have been made until now. */
  readonly requests?: () => number;
  /** Called when a round is over. */
  readonly onRound?: (round: number, rounds: number) => void;
}

/**
 * Times contestants in turn, A B A B …: a machine that gets slower is slower for all of them; the
 * first round is not counted. Each round begins with another one: else one would always run in the
 * wake of the same other.
 */
export async function measure(
  contestants: readonly Contestant[],
  rounds: number,
  { requests, onRound }: MeasureOptions = {},
): Promise<Outcome[]> {
  const found = contestants.map(({ name }) => ({ name, times: [] as number[], requests: 0 }));
  for (let round = 0; round <= rounds; round += 1) {
    for (let turn = 0; turn < contestants.length; turn += 1) {
      const index = (round + turn) % contestants.length;
      const [contestant, outcome] = [contestants[index], found[index]];
      if (contestant === undefined || outcome === undefined) continue;
      const before = requests?.() ?? 0;
      const time = await contestant.run();
      if (round === 0) continue;
      outcome.times.push(time);
      outcome.requests = Math.max(outcome.requests, (requests?.() ?? 0) - before);
    }
    onRound?.(round, rounds);
  }
  return found;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => {
    const place = (sorted.length - 1) * part;
    const [below, above] = [
      sorted[Math.floor(place)] ?? Number.NaN,
      sorted[Math.ceil(place)] ?? Number.NaN,
    ];
    return below + (above - below) * (place - Math.floor(place));
  };
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) };
}

/**
 * How many times as long one takes as another, round by round: what slowed a round down slowed
 * both.
 */
export function ratioOf(outcome: Outcome, to: Outcome): Spread {
  return spreadOf(outcome.times.map((time, round) => time / (to.times[round] ?? Number.NaN)));
}
