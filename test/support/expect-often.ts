import { isDeepStrictEqual } from "node:util";

/**
 * jest's expect for properties, which call it thousands of times: jest creates two hundred
 * functions and a stack trace at each call. These matchers accept only values that jest's would
 * accept; for all others, jest decides and writes the message.
 */
export function expectOften(actual: unknown) {
  return {
    toBe: (expected: unknown) => {
      if (!Object.is(actual, expected)) expect(actual).toBe(expected);
    },
    toBeUndefined: () => {
      if (actual !== undefined) expect(actual).toBeUndefined();
    },
    toEqual: (expected: unknown) => {
      if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
    },
    toHaveLength: (length: number) => {
      if (!Array.isArray(actual) || actual.length !== length) expect(actual).toHaveLength(length);
    },
    toMatch: (pattern: RegExp) => {
      if (typeof actual !== "string" || actual.search(pattern) < 0) expect(actual).toMatch(pattern);
    },
    toBeLessThan: (bound: number) => {
      if (typeof actual !== "number" || !(actual < bound)) expect(actual).toBeLessThan(bound);
    },
    toBeLessThanOrEqual: (bound: number) => {
      if (typeof actual !== "number" || !(actual <= bound))
        expect(actual).toBeLessThanOrEqual(bound);
    },
    toBeGreaterThan: (bound: number) => {
      if (typeof actual !== "number" || !(actual > bound)) expect(actual).toBeGreaterThan(bound);
    },
    toBeGreaterThanOrEqual: (bound: number) => {
      if (typeof actual !== "number" || !(actual >= bound))
        expect(actual).toBeGreaterThanOrEqual(bound);
    },
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
