import { readFileSync, writeFileSync } from "node:fs";
import type { Diagnosis } from "./set-up";

export function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, "utf8");
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
}

/** The one fault, as `check status: text -> remedy`. */
export function only({ faults, exitCode, text }: Diagnosis): string {
  const reported = faults.map(
    ({ check, status, text, remedy }) => `${check} ${status}: ${text} -> ${remedy}`,
  );
  expect(reported).toHaveLength(1);
  expect(exitCode).toBe(faults.some(({ status }) => status === "failed") ? 1 : 0);
  expect(text).toMatch(exitCode === 1 ? /^failed /m : /^warning /m);
  return reported[0] ?? "";
}
