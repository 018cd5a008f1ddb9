import { abridged, printable } from "../../tokens";

/** Result for one token. Contains no secret. Text from the state is not escaped yet. */
export interface Outcome {
  readonly outcome: keyof typeof WORDS;
  /** Null for a token that may be static. */
  readonly fingerprint: string | null;
  readonly places: readonly string[];
  readonly auth_url: string | null;
  /** Whether the caller names that address as well; otherwise only the state does. */
  readonly address_confirmed: boolean;
  readonly expires_at: string | null;
  /** What the outcome leaves open. */
  readonly reason?: string;
}

const WORDS = {
  revoked: "revoked",
  alive: "alive",
  /** A service whose address is confirmed refuses the complete token, now. */
  refused: "refused",
  not_known_here: "NOT KNOWN HERE",
  may_still_live: "MAY STILL LIVE",
  /** Nothing was said of it. */
  unknown: "NOT KNOWN",
} as const;

const PLACE_LENGTH = 200;

/** How many places a line lists. */
const LISTED = 10;

/** A line for a reader, and another for the reason. */
export function lineOf(found: Outcome): string {
  const { outcome, fingerprint, places, auth_url, expires_at, reason } = found;
  const sign = (fingerprint ?? "-").padEnd(12);
  const listed = places.slice(0, LISTED).map((place) => abridged(place, PLACE_LENGTH));
  const more = places.length > LISTED ? ` and ${places.length - LISTED} more places` : "";
  const at = auth_url === null ? "" : `  ${auth_url}`;
  // The end of a refused token is in the reason.
  const isOver = ["revoked", "refused"].includes(outcome) || expires_at === null;
  const until = isOver ? "" : `  until ${expires_at}`;
  const line = printable(
    `${WORDS[outcome].padEnd(14)}  ${sign}  ${listed.join(", ")}${more}${at}${until}`,
  );
  return reason === undefined ? `${line}\n` : `${line}\n    ${printable(reason)}\n`;
}
