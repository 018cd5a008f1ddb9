import { abridged, printable } from "../../tokens";

/** Result for one token. Contains no secret, and text from a state as it is there. */
export interface Outcome {
  readonly outcome: keyof typeof WORDS;
  /** Null for a token that may be static. */
  readonly fingerprint: string | null;
  readonly places: readonly string[];
  readonly auth_url: string | null;
  /** Whether the caller names that address as well; otherwise only the state does. */
  readonly address_confirmed: boolean;
  readonly expires_at: string | null;
  /** Why the token may still live, or live elsewhere. */
  readonly reason?: string;
}

const WORDS = {
  revoked: "revoked",
  already_gone: "already gone",
  not_known_here: "NOT KNOWN HERE",
  may_still_live: "MAY STILL LIVE",
  alive: "alive",
  gone: "GONE",
  unknown: "UNKNOWN",
} as const;

const PLACE_LENGTH = 200;

/** How many places a line lists. */
const LISTED = 10;

/** Whether no request has ended the token, as far as it is known. */
export const mayLive = ({ outcome }: Outcome): boolean =>
  outcome === "may_still_live" || outcome === "not_known_here";

/** A line for a reader, and another for the reason. */
export function lineOf(of: Outcome): string {
  const { outcome, fingerprint, places, auth_url, expires_at, reason } = of;
  const sign = (fingerprint ?? "-").padEnd(12);
  const listed = places.slice(0, LISTED).map((place) => abridged(place, PLACE_LENGTH));
  const more = places.length > LISTED ? ` and ${places.length - LISTED} more places` : "";
  const at = auth_url === null ? "" : `  ${auth_url}`;
  const until = outcome === "alive" && expires_at !== null ? `  until ${expires_at}` : "";
  const line = printable(
    `${WORDS[outcome].padEnd(14)}  ${sign}  ${listed.join(", ")}${more}${at}${until}`,
  );
  return reason === undefined ? `${line}\n` : `${line}\n    ${printable(reason)}\n`;
}
