import { type Outcome, ratioOf, type Spread, spreadOf } from "./pairs";

/** A measurement that something is promised of. */
export interface Figure {
  readonly what: string;
  readonly most: number;
  readonly measured: Spread;
  readonly unit?: string;
}

/** Measurements that belong together. */
export interface Section {
  readonly title: string;
  readonly outcomes: readonly Outcome[];
  /** The outcome that ratios refer to. */
  readonly floor?: string;
  /** Measured otherwise than in milliseconds, and what else is to be said. */
  readonly notes?: readonly string[];
  readonly figures?: readonly Figure[];
  /** Questions of users, each with the outcome that answers it: its time above the floor. */
  readonly costs?: readonly (readonly [what: string, outcome: string])[];
}

/** @throws Error if there is none of this name: a mistake in this program */
export function outcomeOf(outcomes: readonly Outcome[], name: string): Outcome {
  const found = outcomes.find((outcome) => outcome.name === name);
  if (found === undefined) throw new Error(`${name} was not measured.`);
  return found;
}

export function ratioFigure(
  what: string,
  most: number,
  outcomes: readonly Outcome[],
  name: string,
  to: string,
): Figure {
  return { what, most, measured: ratioOf(outcomeOf(outcomes, name), outcomeOf(outcomes, to)) };
}

export function numberFigure(what: string, most: number, measured: number, unit: string): Figure {
  return { what, most, measured: spreadOf([measured]), unit };
}

/** Judged as it is printed. */
export function holds({ most, measured }: Figure): boolean {
  return Number(measured.median.toFixed(2)) <= most;
}
