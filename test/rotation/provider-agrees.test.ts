import * as fc from "fast-check";
import { whyRotationIsDue } from "../../lib/rotation/due";
import { whyDue } from "../../lib/rotation/token-due";
import { toRfc3339 } from "../../lib/tokens";
import { fuzz } from "../support/fuzz";
import { HOUR } from "./settings";
import { simulate } from "./simulate";
import { quickRun } from "./worst-case";

const TOKEN = { token: "t", header_name: "X-Auth-Token", headers: { "X-Auth-Token": "t" } };
const NOW = Date.UTC(2026, 0, 1);
const iso = (time: number) => toRfc3339(new Date(time));

/** In whole seconds, as times stand in state. */
const seconds = (most: number) =>
  fc.integer({ min: 1, max: most / 1000 }).map((count) => count * 1000);

test("the simulation rotates when the provider rotates: a token in state", () => {
  fc.assert(
    fc.property(
      seconds(24 * HOUR),
      seconds(24 * HOUR),
      seconds(30 * HOUR),
      (lifetimeMs, threshold, age) => {
        const rotateWhenRemainingMs = Math.min(threshold, lifetimeMs - 1000);
        fc.pre(rotateWhenRemainingMs > 0);
        const rule = { kind: "in state", lifetimeMs, rotateWhenRemainingMs } as const;
        const state = { ...TOKEN, issued_at: iso(NOW), expires_at: iso(NOW + lifetimeMs) };
        const due =
          whyDue(state, { rotateWhenRemainingMs, minRemainingMs: null }, NOW + age).length > 0;
        expect(simulate(rule, [quickRun(0), quickRun(age)]).runs[1]?.result).toBe(
          due ? "rotated" : "nothing was due",
        );
      },
    ),
    fuzz(100),
  );
});

test("the simulation rotates when the provider rotates: a rotation", () => {
  fc.assert(
    fc.property(seconds(24 * HOUR), seconds(30 * HOUR), (rotateEveryMs, age) => {
      const rule = {
        kind: "pushed",
        lifetimeMs: 24 * HOUR,
        rotateEveryMs,
        minRemainingMs: 24 * HOUR,
      } as const;
      const state = { rotated_at: iso(NOW), rotate_at: iso(NOW + rotateEveryMs) };
      const due = whyRotationIsDue(state, rotateEveryMs, NOW + age).length > 0;
      expect(simulate(rule, [quickRun(0), quickRun(age)]).runs[1]?.result).toBe(
        due ? "rotated" : "nothing was due",
      );
    }),
    fuzz(100),
  );
});

test.each([-1000, 0, 1000])("both draw the line at the same second: %i ms from it", (off) => {
  const lifetimeMs = 24 * HOUR;
  const state = { ...TOKEN, issued_at: iso(NOW), expires_at: iso(NOW + lifetimeMs) };
  const due =
    whyDue(state, { rotateWhenRemainingMs: 6 * HOUR, minRemainingMs: null }, NOW + 18 * HOUR + off)
      .length > 0;
  const rule = { kind: "in state", lifetimeMs, rotateWhenRemainingMs: 6 * HOUR } as const;
  expect(simulate(rule, [quickRun(0), quickRun(18 * HOUR + off)]).runs[1]?.result).toBe(
    due ? "rotated" : "nothing was due",
  );
  expect(due).toBe(off > 0);
});
