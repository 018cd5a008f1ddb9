import type { Diagnostic } from "../../plugin/provider";
import { toRfc3339 } from "../../tokens";
import { warning } from "../configuration/diagnostics";

/** Timers are not exact. */
const TIMERS_MS = 1_000;

/**
 * The private data of an opened token: its end, and an id if it is revoked on close. Terraform
 * keeps them in memory.
 */
export function opened(endsAt: number, id = ""): { renewAt: number; private: Uint8Array } {
  return { renewAt: endsAt, private: Buffer.from(`${endsAt} ${id}`) };
}

/** The id in the private data; "" without one. */
export function idIn(privateData: Uint8Array): string {
  return Buffer.from(privateData).toString().split(" ")[1] ?? "";
}

/**
 * A warning if a token has ended, although Terraform is still running: its consumers keep the value
 * that they have.
 */
export function ended(privateData: Uint8Array, now: number): readonly Diagnostic[] {
  const endsAt = Number.parseInt(Buffer.from(privateData).toString(), 10);
  if (!(now >= endsAt - TIMERS_MS)) return [];
  return [
    warning(
      "A token has expired, and Terraform is still running",
      `It expired at ${toRfc3339(endsAt)}, and now it is ${toRfc3339(now)}: whatever uses it may be refused. Set min_remaining (minRemaining) to more than the longest apply takes.`,
    ),
  ];
}
