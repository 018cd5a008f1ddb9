import type { RotationRule as Rule } from "../../lib/rotation/rotation-rule";
import { type Run, simulate } from "./simulate";
import { quickRun } from "./worst-case";

const IN_STATE: Rule = { kind: "in state", lifetimeMs: 100, rotateWhenRemainingMs: 30 };
const PUSHED: Rule = { kind: "pushed", lifetimeMs: 100, rotateEveryMs: 50, minRemainingMs: 90 };
const at = (plannedAt: number, more: Partial<Run> = {}): Run => ({
  ...quickRun(plannedAt),
  ...more,
});

// When a rotation is due, provider-agrees.test.ts compares with the provider.
test("a run that is missed rotates nothing, and one that fails rotates without saying so", () => {
  const runs = [at(0), at(80, { outcome: "missed" }), at(81, { outcome: "failed" }), at(82)];
  expect(simulate(IN_STATE, runs).runs.map(({ result }) => result)).toEqual([
    "rotated",
    "missed",
    "failed",
    "nothing was due",
  ]);
});

describe("consumers", () => {
  test("have a token from the end of the run that brought it to the end of the one that brings the next", () => {
    const runs = [
      at(0, { issuedAt: 1, endedAt: 5 }),
      at(40),
      at(80, { startedAt: 82, issuedAt: 83, endedAt: 90 }),
      at(95, { startedAt: 96, endedAt: 97 }),
    ];
    expect(simulate(IN_STATE, runs)).toMatchObject({
      tokens: [
        { issuedAt: 1, expiresAt: 101, heldFrom: 5, heldUntil: 90 },
        { issuedAt: 83, expiresAt: 183, heldFrom: 90, heldUntil: 97 },
      ],
      gaps: [],
    });
  });

  test("have a gap from the end of their token to the end of the run that replaces it", () => {
    expect(simulate(IN_STATE, [at(0), at(100), at(101)]).gaps).toEqual([]);
    expect(simulate(IN_STATE, [at(0), at(60), at(95, { endedAt: 120 })])).toMatchObject({
      tokens: [
        { expiresAt: 100, heldFrom: 0, heldUntil: 120 },
        { expiresAt: 195, heldFrom: 120, heldUntil: 120 },
      ],
      gaps: [{ from: 100, to: 120 }],
    });
  });

  test("get what a failed run issued from the next that goes well", () => {
    const failed = at(80, { outcome: "failed", endedAt: 85 });
    const { tokens } = simulate(IN_STATE, [at(0), failed, at(90, { endedAt: 92 })]);
    expect(tokens).toEqual([
      { issuedAt: 0, expiresAt: 100, heldFrom: 0, heldUntil: 92 },
      { issuedAt: 80, expiresAt: 180, heldFrom: 92, heldUntil: 92 },
    ]);
  });

  test("get a token that the next run issues, where a rotation was noted and its push failed", () => {
    const failed = at(60, { outcome: "failed", endedAt: 65 });
    const { tokens } = simulate(PUSHED, [at(0), failed, at(70), at(80)]);
    expect(tokens).toEqual([
      { issuedAt: 0, expiresAt: 100, heldFrom: 0, heldUntil: 70 },
      { issuedAt: 70, expiresAt: 170, heldFrom: 70, heldUntil: 80 },
    ]);
  });

  test.each([
    { cachedForMs: 4, issuedAt: 16 },
    { cachedForMs: 10, issuedAt: 10 },
    { cachedForMs: 11, issuedAt: 10 },
    { cachedForMs: 4, issuedAt: 20, minRemainingMs: 110 },
  ])("get a token from the cache, unless too little is left of it: $issuedAt", (row) => {
    const { cachedForMs, issuedAt, minRemainingMs = 90 } = row;
    const run = at(0, { issuedAt: 20, notedAt: 25, endedAt: 30, cachedForMs });
    expect(simulate({ ...PUSHED, minRemainingMs }, [run]).tokens).toEqual([
      { issuedAt, expiresAt: issuedAt + 100, heldFrom: 30, heldUntil: 30 },
    ]);
  });
});
