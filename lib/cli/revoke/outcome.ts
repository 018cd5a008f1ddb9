import { abridged, printable } from "../../tokens";

/** Result for one token. Contains no secret, and text from a state as it is there. */
export interface Outcome {
  readonly outcome: "revoked" | "already_gone" | "not_known_here" | "may_still_live";
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
  not_known_here: "NOT KNOWN HERE",
  may_still_live: "MAY STILL LIVE",
};

const PLACE_LENGTH = 200;

/** How many places a line lists. */
const LISTED = 10;

/** Whether no request has ended the token, as far as it is known. */
export const mayLive = ({ outcome }: Outcome): boolean =>
  outcome === "may_still_live" || outcome === "not_known_here";

/** A line for a reader, and another for the reason. */
export function lineOf({ outcome, fingerprint, places, auth_url, reason }: Outcome): string {
  const sign = (fingerprint ?? "-").padEnd(12);
  const listed = places.slice(0, LISTED).map((place) => abridged(place, PLACE_LENGTH));
  const more = places.length > LISTED ? ` and ${places.length - LISTED} more places` : "";
  const at = auth_url === null ? "" : `  ${auth_url}`;
  const line = printable(`${WORDS[outcome].padEnd(14)}  ${sign}  ${listed.join(", ")}${more}${at}`);
  return reason === undefined ? `${line}\n` : `${line}\n    ${printable(reason)}\n`;
}

/** The last line. */
export function summaryOf(place: string, outcomes: readonly Outcome[]): string {
  const revoked = outcomes.filter(({ outcome }) => outcome === "revoked").length;
  const live = outcomes.filter(mayLive).length;
  if (outcomes.length === 0) return `${place} holds no token of this provider: nothing to do.\n`;
  if (revoked + live === 0) return "Nothing to do: no token is valid any more.\n";
  const rest = live > 0 ? ` May still live: ${live}.` : "";
  return `Revoked: ${revoked} of ${outcomes.length}.${rest}\n`;
}
