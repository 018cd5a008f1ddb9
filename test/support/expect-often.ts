import { isDeepStrictEqual } from "node:util";

/**
 * jest's expect for properties, which call it thousands of times: jest creates two hundred
 * functions and a stack trace at each call. These matchers accept only values that jest's would
 * accept; for all others, jest decides and writes the message.
 */
export function expectOften(actual: unknown) {
  const limited =
    (matcher: Limit, accepts: (value: number, bound: number) => boolean) => (bound: number) => {
      if (typeof actual !== "number" || !accepts(actual, bound)) expect(actual)[matcher](bound);
    };
  return {
    toBe: (expected: unknown) => {
      if (!Object.is(actual, expected)) expect(actual).toBe(expected);
    },
    toEqual: (expected: unknown) => {
      if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
    },
    toMatch: (pattern: RegExp) => {
      if (typeof actual !== "string" || actual.search(pattern) < 0) expect(actual).toMatch(pattern);
    },
    toBeLessThan: limited("toBeLessThan", (value, bound) => value < bound),
    toBeLessThanOrEqual: limited("toBeLessThanOrEqual", (value, bound) => value <= bound),
    toBeGreaterThan: limited("toBeGreaterThan", (value, bound) => value > bound),
    toBeGreaterThanOrEqual: limited("toBeGreaterThanOrEqual", (value, bound) => value >= bound),
    not: {
      toContain: (part: string) => {
        if (typeof actual !== "string" || actual.includes(part)) expect(actual).not.toContain(part);
      },
      toMatch: (pattern: RegExp) => {
        if (typeof actual !== "string" || actual.search(pattern) >= 0)
          expect(actual).not.toMatch(pattern);
      },
    },
  };
}

type Limit = "toBeLessThan" | "toBeLessThanOrEqual" | "toBeGreaterThan" | "toBeGreaterThanOrEqual";
