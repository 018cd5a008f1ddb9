const UNITS_IN_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** Timers of Node.js end at 2^31 ms (24 days); a longer deadline is none in practice. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Milliseconds of a `grpc-timeout` header, rounded up; undefined for none, an ill-formed one or one
 * beyond 24 days.
 */
export function parseGrpcTimeout(header: string | undefined): number | undefined {
  const match = /^(\d{1,8})([HMSmun])$/.exec(header ?? "");
  const unit = UNITS_IN_MS[match?.[2] ?? ""];
  if (match === null || unit === undefined) return undefined;
  const milliseconds = Math.ceil(Number(match[1]) * unit);
  return milliseconds > MAX_TIMER_MS ? undefined : milliseconds;
}
