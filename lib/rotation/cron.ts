import type { Cron } from "croner";
import { IamTokensError, quote } from "../tokens";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far ahead runs are looked at. */
const RUNS = 400;
const DAYS = 60;

const MAX_LENGTH = 200;

/**
 * The longest pause between two runs of a cron expression, in milliseconds: within its next 400
 * runs, and within the next 60 days for a pause above an hour (nights, weekends).
 *
 * @param expression five fields, in UTC, without extensions that only some schedulers know
 * @throws ERR_SCHEDULE_INVALID
 */
export function longestPause(expression: unknown, now: number): number {
  const cron = parse(expression);
  const runs = cron.nextRuns(RUNS, new Date(now)).map(Number);
  const last = runs.at(-1);
  if (last === undefined)
    throw refusal(`The cron expression ${quote(String(expression))} never fires.`);
  let longest = Math.max(...runs.slice(1).map((run, index) => run - (runs[index] ?? run)));
  // A longer pause that begins after a run contains this moment, or begins later.
  for (let at = last; at < now + DAYS * DAY_MS; at += Math.max(longest, HOUR_MS)) {
    const [before] = cron.previousRuns(1, new Date(at + 1));
    const next = cron.nextRun(new Date(at));
    if (before === undefined || next === null) break;
    longest = Math.max(longest, next.getTime() - before.getTime());
    at = next.getTime();
  }
  return longest;
}

function parse(expression: unknown): Cron {
  if (typeof expression !== "string")
    throw refusal(`The cron expression is a value of type ${typeof expression}.`);
  if (expression.length > MAX_LENGTH)
    throw refusal(
      `The cron expression has ${expression.length} characters; it may have ${MAX_LENGTH}.`,
    );
  // croner has extensions: "L", "W", "#", "?", "+", "@daily". Words are names of months and days.
  if (/^(?:[\d*,/\-\s]|\b[a-z]{3}\b)+$/i.test(expression)) {
    // Only here: few programs have a cron expression, and all others would wait for it.
    const { Cron } = require("./croner") as typeof import("./croner");
    try {
      return new Cron(expression, { mode: "5-part", utcOffset: 0 });
    } catch {
      // croner's messages count from 0.
    }
  }
  throw refusal(`The cron expression ${quote(expression)} cannot be read.`);
}

function refusal(problem: string): IamTokensError {
  return new IamTokensError("ERR_SCHEDULE_INVALID", problem, {
    allowed:
      'five fields: minute (0-59), hour (0-23), day of the month (1-31), month (1-12 or JAN-DEC), day of the week (0-7 or SUN-SAT), with "*", ",", "-" and "/"',
    remedy: 'Write it as for cron, in UTC: "0 */6 * * *".',
  });
}
