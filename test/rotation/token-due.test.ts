import fc from "fast-check";
import type { CtyObject } from "../../lib/plugin/cty/value";
import {
  hasExpired,
  notRevokedNote,
  parseThreshold,
  thresholdOf,
  whyTokenIsDue,
} from "../../lib/rotation/token-due";
import { toRfc3339 } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";

const HOUR = 3_600_000;
const T0 = Date.parse("2026-03-01T00:00:00Z");
const stateOf = (lifetimeMs: number, issuedAt = T0) => ({
  token: "t",
  issued_at: toRfc3339(issuedAt),
  expires_at: toRfc3339(issuedAt + lifetimeMs),
});
const UNSAID = { rotateWhenRemainingMs: null, minRemainingMs: null };

test("the threshold is half the life, or what is demanded, the larger", () => {
  const rows: readonly (readonly [Partial<typeof UNSAID> | object, number, number])[] = [
    [{}, 24, 12],
    [{}, 1, 0.5],
    [{ rotateWhenRemainingMs: 6 * HOUR }, 24, 6],
    [{ rotateWhenRemainingMs: 6 * HOUR, minRemainingMs: 8 * HOUR }, 24, 8],
    [{ minRemainingMs: 8 * HOUR }, 24, 12],
    [{ minRemainingMs: 13 * HOUR }, 24, 13],
  ];
  for (const [demands, life, expected] of rows) {
    expect(thresholdOf({ ...UNSAID, ...demands }, life * HOUR)).toBe(expected * HOUR);
  }
});

test("a token is due from the moment that less than the threshold is left, and says how much that is", () => {
  const state = stateOf(24 * HOUR);
  expect(whyTokenIsDue(state, UNSAID, T0)).toBeUndefined();
  expect(whyTokenIsDue(state, UNSAID, T0 + 12 * HOUR)).toBeUndefined();
  expect(whyTokenIsDue(state, UNSAID, T0 + 12 * HOUR + 1)).toBe(
    "11 h 59 min of the token's 1 d are left, and it is rotated when less than 12 h are.",
  );
  expect(whyTokenIsDue(state, UNSAID, T0 + 24 * HOUR)).toBe(
    "The token expired at 2026-03-02T00:00:00Z.",
  );
});

test("tolerates a clock that is behind by up to five minutes, and not by more", () => {
  expect(whyTokenIsDue(stateOf(24 * HOUR), UNSAID, T0 - 5 * 60_000)).toBeUndefined();
  expect(whyTokenIsDue(stateOf(24 * HOUR), UNSAID, T0 - 5 * 60_000 - 1)).toBe(
    "The token was issued at 2026-03-01T00:00:00Z, and this machine's clock says 2026-02-28T23:54:59Z: the clock is behind or was set back, so the token's remaining lifetime is uncertain. Correct the clock.",
  );
});

const NO_TOKEN = "The state holds no token.";
const NO_TIMES =
  "issued_at or expires_at in the state cannot be read, so the token's expiry is unknown.";

const EDITS: Readonly<Record<string, readonly CtyObject[]>> = {
  [NO_TOKEN]: [{ token: "" }, { token: null }],
  [NO_TIMES]: [{ issued_at: null }, { issued_at: "2026-03-01T00:00:00+01:00" }, { expires_at: "" }],
};

test.each(Object.entries(EDITS))(
  "an edit by hand makes a token due, in any case: %s",
  (why, edits) => {
    for (const edit of edits)
      expect(whyTokenIsDue({ ...stateOf(24 * HOUR), ...edit }, UNSAID, T0)).toBe(why);
  },
);

test("a life that is longer than 24 hours is one of 24 hours, and one that ends before it begins is over", () => {
  expect(whyTokenIsDue(stateOf(24 * 365 * HOUR), UNSAID, T0 + 11 * HOUR)).toBeUndefined();
  expect(whyTokenIsDue(stateOf(24 * 365 * HOUR), UNSAID, T0 + 13 * HOUR)).toBeDefined();
  expect(whyTokenIsDue(stateOf(-HOUR), UNSAID, T0)).toBeDefined();
});

test("a token that is not due lives longer than requested, for any request and at any time", () => {
  const duration = fc.integer({ min: 1, max: 24 * 3600 }).map((seconds) => seconds * 1000);
  const demands = fc.record({
    rotateWhenRemainingMs: fc.option(duration, { nil: null }),
    minRemainingMs: fc.option(duration, { nil: null }),
  });
  const property = fc.property(
    duration,
    demands,
    fc.integer({ min: -48 * HOUR, max: 48 * HOUR }),
    (lifetimeMs, demanded, passed) => {
      if (whyTokenIsDue(stateOf(lifetimeMs), demanded, T0 + passed) !== undefined) return;
      const left = lifetimeMs - passed;
      expectOften(left).toBeGreaterThan(0);
      for (const least of Object.values(demanded))
        expectOften(left).toBeGreaterThanOrEqual(least ?? 0);
      expectOften(passed).toBeGreaterThanOrEqual(-5 * 60_000);
    },
  );
  fc.assert(property, fuzz(2000));
});

test("a token with a threshold of zero is due when it has expired", () => {
  const never = { rotateWhenRemainingMs: 0, minRemainingMs: null };
  expect(whyTokenIsDue(stateOf(HOUR), never, T0 + HOUR - 1)).toBeUndefined();
  expect(whyTokenIsDue(stateOf(HOUR), never, T0 + HOUR)).toBe(
    "The token expired at 2026-03-01T01:00:00Z.",
  );
});

test("a token has expired only when no clock within the tolerance says otherwise", () => {
  const expiry = T0 + 24 * HOUR;
  expect(hasExpired(stateOf(24 * HOUR), expiry + 5 * 60_000)).toBe(false);
  expect(hasExpired(stateOf(24 * HOUR), expiry + 5 * 60_000 + 1)).toBe(true);
  expect(hasExpired({ expires_at: "soon" }, expiry + HOUR)).toBe(false);
});

const VALID = "The present token is not revoked: it stays valid until";

test("a note says until when the token lives", () => {
  const rows: readonly (readonly [CtyObject, number, string | undefined])[] = [
    [stateOf(24 * HOUR), 0, `${VALID} 2026-03-02T00:00:00Z.`],
    [stateOf(24 * HOUR), 24 * HOUR, undefined],
    // At most 24 hours, unless the issue cannot be read.
    [stateOf(48 * HOUR), 0, `${VALID} 2026-03-02T00:00:00Z.`],
    [{ expires_at: stateOf(48 * HOUR).expires_at }, 0, `${VALID} 2026-03-03T00:00:00Z.`],
    [{ expires_at: "soon" }, 0, `${VALID} it expires.`],
  ];
  for (const [state, passed, note] of rows) {
    expect(notRevokedNote(state, T0 + passed)).toBe(note);
  }
});

test("a threshold is below the life of a token", () => {
  expect(parseThreshold("12h", "it")).toBe(12 * HOUR);
  expect(() => parseThreshold("24h", "it")).toThrow(
    "An IAM token lives 1 d, and with it it is rotated when less than 1 d are left. ",
  );
});
