import { formatDuration } from "../../tokens";
import type { Outcome } from "../transport/transport";

/** One try, in a word: the status, or what went wrong. */
export function tryText(outcome: Outcome): string {
  if (outcome.kind === "answer") return String(outcome.status);
  if (outcome.fault === "proxy_status") return `proxy ${outcome.status ?? 0}`;
  if (outcome.code !== undefined) return outcome.code;
  // Without a code of the system it was no failure here: the other side hung up.
  return outcome.fault === "connection" ? "closed" : outcome.fault.replaceAll("_", " ");
}

/** The tries of an operation, for its error; "" for a single one that nobody would ask about. */
export function tellTries(outcomes: readonly Outcome[], elapsedMs: number, why?: string): string {
  const reason = why === undefined ? "" : `: ${why}`;
  if (outcomes.length <= 1) return why === undefined ? "" : `, and was not asked again${reason}`;
  const tries = outcomes.map(tryText).join(", ");
  return ` after ${outcomes.length} tries in ${formatDuration(Math.max(0, elapsedMs))} (${tries})${
    why === undefined ? "" : `, and was not asked again${reason}`
  }`;
}
