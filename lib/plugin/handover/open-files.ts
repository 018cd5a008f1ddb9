import { readFileSync } from "node:fs";

/** How many files this process may have open at a time; infinite when nobody says. Linux only. */
export function maxOpenFiles(): number {
  const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}
