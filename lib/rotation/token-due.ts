import {
  formatApart,
  IAM_TOKEN_LIFETIME_MS,
  IamTokensError,
  parseDuration,
  type Text,
  toRfc3339,
  words,
} from "../tokens";
import { CLOCK_TOLERANCE_MS, type StoredState, timeIn, whyClockIsBehind } from "./due";

/** How much of a token's lifetime must be left, in milliseconds; null if nothing sets it. */
export interface TokenDemands {
  readonly rotateWhenRemainingMs: number | null;
  readonly minRemainingMs: number | null;
}

/**
 * The remaining lifetime below which a token is due: by default half, and at least min_remaining.
 */
export function thresholdOf(
  { rotateWhenRemainingMs, minRemainingMs }: TokenDemands,
  lifetimeMs: number,
): number {
  return Math.max(rotateWhenRemainingMs ?? lifetimeMs / 2, minRemainingMs ?? 0);
}

/**
 * Milliseconds of a threshold for an IAM token.
 *
 * @param name the setting, in messages
 * @throws ERR_DURATION_INVALID, ERR_ROTATION_THRESHOLD
 */
export function parseThreshold(text: string, name: Text): number {
  const threshold = parseDuration(text, name);
  assertThreshold(words`with ${name}`, threshold, "An IAM token lives", IAM_TOKEN_LIFETIME_MS);
  return threshold;
}

/**
 * Refuses a threshold that a new token is already below: each run would rotate it.
 *
 * @param rule the setting that sets the threshold: "with rotate_when_remaining"
 * @param lives subject and verb of the lifetime, as messages begin: "An IAM token lives"
 * @throws ERR_ROTATION_THRESHOLD
 */
export function assertThreshold(
  rule: Text,
  thresholdMs: number,
  lives: string,
  lifetimeMs: number,
): void {
  if (thresholdMs < lifetimeMs) return;
  // Rounded in the direction that keeps the order of the two numbers.
  const [life, least] = formatApart(
    Math.floor(lifetimeMs / 1000) * 1000,
    Math.ceil(thresholdMs / 1000) * 1000,
  );
  throw new IamTokensError(
    "ERR_ROTATION_THRESHOLD",
    words`${lives} ${life}, and ${rule} it is rotated when less than ${least} are left.`,
  );
}

/**
 * Why the token in the state is due, as a sentence; undefined if it is not. In case of doubt it is
 * due: an unnecessary rotation costs a request, a missing one causes an outage.
 */
export function whyTokenIsDue(
  state: StoredState,
  demands: TokenDemands,
  now: number,
): string | undefined {
  if (typeof state.token !== "string" || state.token === "") return "The state holds no token.";
  const [issuedAt, expiresAt] = [timeIn(state, "issued_at"), expiryOf(state)];
  if (issuedAt === undefined || expiresAt === undefined)
    return "issued_at or expires_at in the state cannot be read, so the token's expiry is unknown.";
  const behind = whyClockIsBehind(
    "The token was issued",
    issuedAt,
    now,
    "the token's remaining lifetime",
  );
  if (behind !== undefined) return behind;
  const left = expiresAt - now;
  if (left <= 0) return `The token expired at ${toRfc3339(expiresAt)}.`;
  const lifetimeMs = expiresAt - issuedAt;
  const threshold = thresholdOf(demands, lifetimeMs);
  if (left >= threshold) return undefined;
  const wholeSeconds = Math.floor(left / 1000) * 1000;
  const [rest, life, least] = formatApart(wholeSeconds, lifetimeMs, threshold);
  return `${rest} of the token's ${life} are left, and it is rotated when less than ${least} are.`;
}

/** When the token in the state is due; undefined if its times cannot be read. */
export function rotateAtOf(state: StoredState, demands: TokenDemands): number | undefined {
  const [issuedAt, expiresAt] = [timeIn(state, "issued_at"), expiryOf(state)];
  if (issuedAt === undefined || expiresAt === undefined) return undefined;
  return expiresAt - thresholdOf(demands, expiresAt - issuedAt);
}

/** Whether the token in the state has expired, even if this machine's clock is ahead. */
export function hasExpired(state: StoredState, now: number): boolean {
  const expiresAt = expiryOf(state);
  return expiresAt !== undefined && now - expiresAt > CLOCK_TOLERANCE_MS;
}

/** When the token in the state expires; at most the longest possible lifetime. */
function expiryOf(state: StoredState): number | undefined {
  const [issuedAt, expiresAt] = [timeIn(state, "issued_at"), timeIn(state, "expires_at")];
  if (issuedAt === undefined || expiresAt === undefined) return expiresAt;
  return Math.min(expiresAt, issuedAt + IAM_TOKEN_LIFETIME_MS);
}

/** A note that a token is not revoked, with its expiry; undefined if it has expired. */
export function notRevokedNote(state: StoredState, now: number): string | undefined {
  const expiresAt = expiryOf(state);
  if (expiresAt === undefined)
    return "The present token is not revoked: it stays valid until it expires.";
  return expiresAt > now
    ? `The present token is not revoked: it stays valid until ${toRfc3339(expiresAt)}.`
    : undefined;
}
