import { abridged, printable } from "../../tokens";

/** Result for one token. Contains no secret. Text from the state is not escaped yet. */
export interface Outcome {
  readonly outcome: keyof typeof WORDS;
  /** Null for a static token. */
  readonly fingerprint: string | null;
  readonly places: readonly string[];
  readonly expires_at: string | null;
  /** What the outcome leaves open. */
  readonly reason?: string;
}

const WORDS = {
  revoked: "revoked",
  alive: "alive",
  /** The service that issued the complete token refuses it, now. */
  refused: "refused",
  not_known_here: "NOT KNOWN HERE",
  may_still_live: "MAY STILL LIVE",
  not_asked: "NOT ASKED",
} as const;

/** A line for a reader, and another for the reason. */
export function lineOf({ outcome, fingerprint, places, expires_at, reason }: Outcome): string {
  const until = expires_at === null || outcome === "revoked" ? "" : `  until ${expires_at}`;
  const line = `${WORDS[outcome].padEnd(14)}  ${(fingerprint ?? "-").padEnd(12)}  `;
  const where = abridged(places.join(", "), 1_000);
  const because = reason === undefined ? "" : `\n    ${printable(reason)}`;
  return `${printable(line + where + until)}${because}\n`;
}
