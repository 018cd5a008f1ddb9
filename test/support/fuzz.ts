/** Of every property, so that what fails fails again. */
const SEED = 20_261_121;

const [, count, unit] = /^([1-9]\d*)(s?)$/.exec(process.env.IAM_TOKENS_FUZZ ?? "") ?? [];
// A property is told to end in time; what jest adds to it is for the one run that is under way.
if (count !== undefined)
  jest.setTimeout(unit === "s" ? Number(count) * 1000 + 60_000 : 2 ** 31 - 1);

/**
 * The parameters of a property: `runs` cases, always the same, in a second or two. With
 * IAM_TOKENS_FUZZ=100000 it has so many, with IAM_TOKENS_FUZZ=60s as many as there is time for; and
 * with IAM_TOKENS_FUZZ_SEED others. What fails is told with its seed and path.
 */
export function fuzz(runs = 1000) {
  const seed = Number(process.env.IAM_TOKENS_FUZZ_SEED ?? SEED);
  if (count === undefined) return { seed, numRuns: runs };
  return unit === "s"
    ? { seed, numRuns: 2 ** 31 - 1, interruptAfterTimeLimit: Number(count) * 1000 }
    : { seed, numRuns: Number(count) };
}
