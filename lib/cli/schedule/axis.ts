/** The marks of an axis of time. */
export interface Axis {
  readonly unit: "minutes" | "hours" | "days";
  readonly marks: readonly { readonly at: number; readonly label: string }[];
}

const MINUTE_MS = 60_000;
const STEPS_MIN = [
  1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 7200, 14_400, 43_200, 144_000,
  525_600,
];

/** Marks from 0 on, of which there are at most about so many. */
export function axisOf(untilMs: number, mostMarks: number): Axis {
  const minutes = STEPS_MIN.find((step) => untilMs / (step * MINUTE_MS) <= mostMarks) ?? 5_256_000;
  const [unit, inUnit] =
    minutes >= 2880
      ? (["days", 1440] as const)
      : minutes >= 60
        ? (["hours", 60] as const)
        : (["minutes", 1] as const);
  const marks = [];
  for (let at = 0; at <= untilMs; at += minutes * MINUTE_MS)
    marks.push({ at, label: String(at / MINUTE_MS / inUnit) });
  return { unit, marks };
}
