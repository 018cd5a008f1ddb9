import {
  type RotationOptions,
  toInterval,
  toRotationSettings,
} from "../../lib/rotation/rotation-settings";
import { HOUR, MINUTE } from "./runs";

const DURATION =
  'a number with a unit (d, h, m, s, ms), also joined, above zero and at most 366d: "2h", "90m", "1h30m"';

test("what is not given has its default", () => {
  expect(toRotationSettings(6 * HOUR, {})).toEqual({
    intervalMs: 6 * HOUR,
    missedRuns: 1,
    startDelayMs: 15 * MINUTE,
    longestApplyMs: 30 * MINUTE,
    clockUncertaintyMs: 5 * MINUTE,
    lifetimeMs: 24 * HOUR,
  });
});

test.each<{ startDelay: string; startDelayMs: number }>([
  { startDelay: "0", startDelayMs: 0 },
  { startDelay: "0s", startDelayMs: 0 },
  { startDelay: "0ms", startDelayMs: 0 },
  { startDelay: "0.5h", startDelayMs: 30 * MINUTE },
  { startDelay: "0h10m", startDelayMs: 10 * MINUTE },
  { startDelay: "10m", startDelayMs: 10 * MINUTE },
])("a delay of $startDelay", ({ startDelay, startDelayMs }) => {
  expect(toRotationSettings(HOUR, { startDelay }).startDelayMs).toBe(startDelayMs);
});

test.each([0, 1000])("%i runs may be missed", (missedRuns) => {
  expect(toRotationSettings(HOUR, { missedRuns }).missedRuns).toBe(missedRuns);
});

test.each<{ options: RotationOptions; problem: string }>([
  { options: { missedRuns: -1 }, problem: "--missedRuns is -1." },
  { options: { missedRuns: 1001 }, problem: "--missedRuns is 1001." },
  { options: { missedRuns: 1.5 }, problem: "--missedRuns is 1.5." },
  { options: { missedRuns: Number.NaN }, problem: "--missedRuns is NaN." },
  { options: { missedRuns: "1" }, problem: '--missedRuns is "1".' },
  { options: { missedRuns: true }, problem: "--missedRuns is a value of type boolean." },
])("$problem: is refused, by the name that the user has written", ({ options, problem }) => {
  expect(() => toRotationSettings(HOUR, options, (option) => `--${option}`)).toThrow(
    expect.objectContaining({
      code: "ERR_SCHEDULE_INVALID",
      problem,
      allowed: "a whole number from 0 to 1000",
      remedy: "Say how many runs in a row may be missed.",
    }),
  );
});

test.each<{ options: RotationOptions; problem: string; allowed: string }>([
  {
    options: { startDelay: 5 },
    problem: "startDelay is a value of type number.",
    allowed: 'a string such as "30m" or "6h"',
  },
  {
    options: { startDelay: "soon" },
    problem: 'startDelay: "soon" is not a duration.',
    allowed: `${DURATION}; or "0s"`,
  },
  {
    options: { lifetime: "0s" },
    problem: 'lifetime: "0s" is not a duration.',
    allowed: DURATION,
  },
])("$problem", ({ options, problem, allowed }) => {
  expect(() => toRotationSettings(HOUR, options)).toThrow(
    expect.objectContaining({ code: "ERR_DURATION_INVALID", problem, allowed }),
  );
});

test.each<{ interval: unknown; problem: string }>([
  { interval: null, problem: "The interval is a value of type null." },
  { interval: undefined, problem: "The interval is a value of type undefined." },
  { interval: "0s", problem: 'The interval: "0s" is not a duration.' },
])("$problem", ({ interval, problem }) => {
  expect(() => toInterval(interval)).toThrow(
    expect.objectContaining({ code: "ERR_DURATION_INVALID", problem }),
  );
});
