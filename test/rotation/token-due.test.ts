import fc from "fast-check";
import type { CtyObject } from "../../lib/plugin/cty/value";
import { hasExpired, notRevokedNote, thresholdOf, whyDue } from "../../lib/rotation/token-due";
import { fingerprintOf, Secret, toRfc3339 } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";

const HOUR = 3_600_000;
const T0 = Date.parse("2026-03-01T00:00:00Z");
const iso = (time: number) => toRfc3339(new Date(time));
const stateOf = (lifetimeMs: number, issuedAt = T0) => ({
  token: "t",
  header_name: "X-Auth-Token",
  headers: { "X-Auth-Token": "t" },
  fingerprint: fingerprintOf(Secret.of("t")),
  issued_at: iso(issuedAt),
  expires_at: iso(issuedAt + lifetimeMs),
});
const UNSAID = { rotateWhenRemainingMs: null, minRemainingMs: null };

test.each([
  [UNSAID, 24 * HOUR, 12 * HOUR],
  [UNSAID, HOUR, HOUR / 2],
  [{ rotateWhenRemainingMs: 6 * HOUR, minRemainingMs: null }, 24 * HOUR, 6 * HOUR],
  [{ rotateWhenRemainingMs: 6 * HOUR, minRemainingMs: 8 * HOUR }, 24 * HOUR, 8 * HOUR],
  [{ rotateWhenRemainingMs: null, minRemainingMs: 8 * HOUR }, 24 * HOUR, 12 * HOUR],
  [{ rotateWhenRemainingMs: null, minRemainingMs: 13 * HOUR }, 24 * HOUR, 13 * HOUR],
])("the threshold of %j for a life of %d ms is %d ms", (demands, lifetimeMs, expected) => {
  expect(thresholdOf(demands, lifetimeMs)).toBe(expected);
});

test("a token is due from the moment that less than the threshold is left, and says how much that is", () => {
  const state = stateOf(24 * HOUR);
  expect(whyDue(state, UNSAID, T0)).toEqual([]);
  expect(whyDue(state, UNSAID, T0 + 12 * HOUR)).toEqual([]);
  expect(whyDue(state, UNSAID, T0 + 12 * HOUR + 1)).toEqual([
    "12 h of the token's 1 d are left, and it is rotated when less than 12 h are.",
  ]);
  expect(whyDue(state, UNSAID, T0 + 24 * HOUR)).toEqual([
    "The token expired at 2026-03-02T00:00:00Z.",
  ]);
});

test("tolerates a clock that is behind by up to five minutes, and not by more", () => {
  expect(whyDue(stateOf(24 * HOUR), UNSAID, T0 - 5 * 60_000)).toEqual([]);
  expect(whyDue(stateOf(24 * HOUR), UNSAID, T0 - 5 * 60_000 - 1)).toEqual([
    "The token was issued at 2026-03-01T00:00:00Z, and this machine's clock says 2026-02-28T23:54:59Z: the clock is behind or was set back, so the token's remaining lifetime is uncertain. Correct the clock.",
  ]);
});

const NO_TOKEN = "The state holds no token.";
const EDITED =
  "token, headers, header_name and fingerprint in the state do not match: the state was edited.";
const NO_TIMES =
  "issued_at or expires_at in the state cannot be read, so the token's expiry is unknown.";

test.each<{ edit: CtyObject; why: string }>([
  { edit: { token: "" }, why: NO_TOKEN },
  { edit: { token: null }, why: NO_TOKEN },
  { edit: { token: "another" }, why: EDITED },
  { edit: { token: "another", headers: { "X-Auth-Token": "another" } }, why: EDITED },
  { edit: { headers: null }, why: EDITED },
  { edit: { headers: "t" }, why: EDITED },
  { edit: { headers: { "X-Auth-Token": "another" } }, why: EDITED },
  { edit: { headers: { "X-Auth-Token": "t", "X-Other": "t" } }, why: EDITED },
  { edit: { header_name: "X-Token" }, why: EDITED },
  { edit: { fingerprint: "000000000000" }, why: EDITED },
  { edit: { issued_at: null }, why: NO_TIMES },
  { edit: { issued_at: "2026-03-01T00:00:00+01:00" }, why: NO_TIMES },
  { edit: { expires_at: "" }, why: NO_TIMES },
])("$edit, which only a manual edit can write, makes a token due", ({ edit, why }) => {
  expect(whyDue({ ...stateOf(24 * HOUR), ...edit }, UNSAID, T0)).toEqual([why]);
});

test("a state of an older layout, without a fingerprint, is not a reason to rotate", () => {
  expect(whyDue({ ...stateOf(24 * HOUR), fingerprint: null }, UNSAID, T0)).toEqual([]);
});

test("a life that is longer than 24 hours is one of 24 hours, and one that ends before it begins is over", () => {
  expect(whyDue(stateOf(24 * 365 * HOUR), UNSAID, T0 + 11 * HOUR)).toEqual([]);
  expect(whyDue(stateOf(24 * 365 * HOUR), UNSAID, T0 + 13 * HOUR)).toHaveLength(1);
  expect(whyDue(stateOf(-HOUR), UNSAID, T0)).toHaveLength(1);
});

test("a token that is not due lives longer than requested, for any request and at any time", () => {
  const duration = fc.integer({ min: 1, max: 24 * 3600 }).map((seconds) => seconds * 1000);
  const property = fc.property(
    duration,
    fc.option(duration, { nil: null }),
    fc.option(duration, { nil: null }),
    fc.integer({ min: -48 * HOUR, max: 48 * HOUR }),
    (lifetimeMs, rotateWhenRemainingMs, minRemainingMs, passed) => {
      const due =
        whyDue(stateOf(lifetimeMs), { rotateWhenRemainingMs, minRemainingMs }, T0 + passed).length >
        0;
      if (due) return;
      const left = lifetimeMs - passed;
      expectOften(left).toBeGreaterThan(0);
      expectOften(left).toBeGreaterThanOrEqual(
        Math.max(rotateWhenRemainingMs ?? 0, minRemainingMs ?? 0),
      );
      expectOften(passed).toBeGreaterThanOrEqual(-5 * 60_000);
    },
  );
  fc.assert(property, fuzz(2000));
});

test("a token with a threshold of zero is due when it has expired", () => {
  const never = { rotateWhenRemainingMs: 0, minRemainingMs: null };
  expect(whyDue(stateOf(HOUR), never, T0 + HOUR - 1)).toEqual([]);
  expect(whyDue(stateOf(HOUR), never, T0 + HOUR)).toEqual([
    "The token expired at 2026-03-01T01:00:00Z.",
  ]);
});

test("a token has expired only when no clock within the tolerance says otherwise", () => {
  const expiry = T0 + 24 * HOUR;
  expect(hasExpired(stateOf(24 * HOUR), expiry + 5 * 60_000)).toBe(false);
  expect(hasExpired(stateOf(24 * HOUR), expiry + 5 * 60_000 + 1)).toBe(true);
  expect(hasExpired({ expires_at: "soon" }, expiry + HOUR)).toBe(false);
});

test("a token without a readable issue lives until it expires, another at most 24 hours", () => {
  const { expires_at } = stateOf(48 * HOUR);
  expect(notRevokedNote({ expires_at }, T0)).toContain(
    "it stays valid until 2026-03-03T00:00:00Z.",
  );
  expect(notRevokedNote(stateOf(48 * HOUR), T0)).toContain(
    "it stays valid until 2026-03-02T00:00:00Z.",
  );
});

test("says until when a token lives, as long as it does", () => {
  expect(notRevokedNote(stateOf(24 * HOUR), T0)).toBe(
    "The present token is not revoked: it stays valid until 2026-03-02T00:00:00Z.",
  );
  expect(notRevokedNote(stateOf(24 * HOUR), T0 + 24 * HOUR)).toBeUndefined();
  expect(notRevokedNote({ expires_at: "soon" }, T0)).toBe(
    "The present token is not revoked: it stays valid until it expires.",
  );
});
