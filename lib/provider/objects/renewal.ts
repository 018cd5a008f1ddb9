import type { Diagnostic, Renewed } from "../../plugin/provider";
import { toRfc3339 } from "../../tokens";
import { warning } from "../configuration/diagnostics";

/** Terraform renews so much earlier than it is told; OpenTofu at that moment. */
const EARLIER_MS = 60_000;
/** Timers are not exact. */
const TIMERS_MS = 1_000;

/**
 * The private data of an opened token: its end, and an id if it is revoked on close. Terraform keeps
 * them in memory.
 */
export function opened(endsAt: number, id = ""): { renewAt: number; private: Uint8Array } {
  return { renewAt: endsAt, private: Buffer.from(`${endsAt} ${id}`) };
}

/** The id in the private data; "" without one. */
export function idIn(privateData: Uint8Array): string {
  return partsOf(privateData)[1];
}

/**
 * A warning if a token has ended, although Terraform is still running: its consumers keep the value
 * that they have.
 *
 * @param setting the name of min_remaining
 */
export function ended(
  privateData: Uint8Array,
  now: number,
  setting: string,
): readonly Diagnostic[] {
  const endsAt = Number(partsOf(privateData)[0]);
  return now >= endsAt - TIMERS_MS ? [tooLate(endsAt, now, setting)] : [];
}

/** A token cannot be renewed. Terraform 1.17 and OpenTofu print the warning, older ones drop it. */
export function renewed(privateData: Uint8Array, now: number, setting: string): Renewed {
  const [end, id, again] = partsOf(privateData);
  const diagnostics = ended(privateData, now, setting);
  if (diagnostics.length > 0) return { diagnostics };
  // It is called again only once, whatever it makes of the time.
  if (again) return {};
  return { renewAt: Number(end) + EARLIER_MS, private: Buffer.from(`${end} ${id} again`) };
}

function partsOf(privateData: Uint8Array): readonly [end: string, id: string, again: string] {
  const [end = "", id = "", again = ""] = Buffer.from(privateData).toString().split(" ");
  return [end, id, again];
}

function tooLate(endsAt: number, now: number, setting: string) {
  return warning(
    "A token has expired, and Terraform is still running",
    `It expired at ${toRfc3339(endsAt)}, and now it is ${toRfc3339(now)}: whatever uses it may be refused. Set ${setting} to more than the longest apply takes.`,
  );
}
