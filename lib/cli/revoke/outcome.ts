import { abridged, printable } from "../../tokens";

/** Result for one token. Contains no secret, and text from a state as it is there. */
export interface Outcome {
  readonly outcome: "revoked" | "already_gone" | "expired" | "may_still_live";
  /** Null for a token that may be static. */
  readonly fingerprint: string | null;
  readonly places: readonly string[];
  readonly auth_url: string | null;
  readonly expires_at: string | null;
  /** Why the token may still live, or live elsewhere. */
  readonly reason?: string;
}

const WORDS: Readonly<Record<Outcome["outcome"], string>> = {
  revoked: "revoked",
  already_gone: "already gone",
  expired: "expired",
  may_still_live: "MAY STILL LIVE",
};

const PLACE_LENGTH = 200;

/** A line for a reader, and another for the reason. */
export function lineOf({ outcome, fingerprint, places, reason }: Outcome): string {
  const sign = (fingerprint ?? "-").padEnd(12);
  const where = places.map((place) => abridged(place, PLACE_LENGTH)).join(", ");
  const line = printable(`${WORDS[outcome].padEnd(14)}  ${sign}  ${where}`);
  return reason === undefined ? `${line}\n` : `${line}\n    ${printable(reason)}\n`;
}

/** The last line. */
export function summaryOf(place: string, outcomes: readonly Outcome[]): string {
  const count = (wanted: Outcome["outcome"]) =>
    outcomes.filter(({ outcome }) => outcome === wanted).length;
  const [revoked, live] = [count("revoked"), count("may_still_live")];
  if (outcomes.length === 0) return `${place} holds no token of this provider: nothing to do.\n`;
  if (revoked + live === 0) return "Nothing to do: no token is valid any more.\n";
  const rest = live === 0 ? "" : ` May still live: ${live}.`;
  return `Revoked: ${revoked} of ${outcomes.length}.${rest}\n`;
}
