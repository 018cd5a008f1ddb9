import fc from "fast-check";
import { formatDuration, formatExact, parseDuration, parseRetryFor } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";

test("a duration joins numbers with units", () => {
  expect(parseDuration("1h30m")).toBe(5_400_000);
  expect(parseDuration("250ms")).toBe(250);
});

test.each(["", "2", "h", "2 h", "-1h", "0s", "1h x", "367d", "1e3s"])(
  "%j is not a duration",
  (text) => {
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({ code: "ERR_DURATION_INVALID" }),
    );
  },
);

test("the limit for all tries is from zero to five minutes", () => {
  const taken = { "0s": 0, "0ms": 0, "0d": 0, "10s": 10_000, "0s1m": 60_000, "5m": 300_000 };
  for (const [text, milliseconds] of Object.entries(taken))
    expect([text, parseRetryFor(text, "retry_for")]).toEqual([text, milliseconds]);
  expect(() => parseRetryFor("6m", "retry_for")).toThrow(
    'retry_for: "6m" is too long. Allowed: "0s" (one try) to "5m". ',
  );
  for (const text of ["", "0", "-1s", "5m1ms", "1h", "x"]) {
    expect(() => parseRetryFor(text, "retry_for")).toThrow(
      expect.objectContaining({
        code: "ERR_DURATION_INVALID",
        message: expect.stringContaining(`retry_for: "${text}"`),
        allowed: '"0s" (one try) to "5m"',
      }),
    );
  }
});

test.each([
  ["1d", 86_400_000],
  ["1h", 3_600_000],
  ["1m", 60_000],
  ["1s", 1000],
  ["1ms", 1],
  ["1.5s", 1500],
  ["10.25s", 10_250],
  ["366d", 366 * 86_400_000],
])("%s is %d ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test("a refusal says what is refused, where, and what is allowed", () => {
  const wrong = "is not a duration. Allowed: a number with a unit (d, h, m, s, ms), also joined, ";
  const allowed = 'above zero and at most 366d: "2h", "90m", "1h30m". ';
  expect(() => parseDuration("often")).toThrow(
    expect.objectContaining({ problem: '"often" is not a duration.' }),
  );
  expect(() => parseDuration("often", "reuse")).toThrow(`reuse: "often" ${wrong}${allowed}`);
});

test.each([
  [0, "0 s"],
  [499, "499 ms"],
  [-499, "-499 ms"],
  [500, "1 s"],
  [-5_000, "-5 s"],
  [60_000, "1 min"],
  [86_399_000, "23 h 59 min"],
  [86_400_000 + 60_000, "1 d 1 min"],
])("%d ms for people are %s: the two largest units", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test.each(["0s", "250ms", "45s", "1h30m", "12h50m", "8784h", "1h1m1s1ms"])(
  "%s is written exactly",
  (text) => {
    expect(formatExact(text === "0s" ? 0 : parseDuration(text))).toBe(text);
  },
);

const YEAR = 366 * 86_400_000;

test("reads an exactly written duration as the same one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: YEAR }), (milliseconds) => {
      expectOften(parseDuration(formatExact(milliseconds))).toBe(milliseconds);
      expectOften(formatExact(-milliseconds)).toBe(`-${formatExact(milliseconds)}`);
    }),
    fuzz(5000),
  );
});

test("a duration for people differs by at most one of its smallest unit, and has at most two units", () => {
  const units = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000, ms: 1 };
  fc.assert(
    fc.property(fc.integer({ min: -YEAR, max: YEAR }), (milliseconds) => {
      const [, sign, ...words] = /^(-?)(\d+) ([a-z]+)(?: (\d+) ([a-z]+))?$/.exec(
        formatDuration(milliseconds),
      ) ?? ["", "", "NaN"];
      const [count, unit, more, smaller] = words;
      const smallest = units[(smaller ?? unit) as "d"];
      const read = Number(count) * units[unit as "d"] + Number(more ?? 0) * smallest;
      const off = Math.abs(milliseconds) - read;
      // Rounded to seconds, then cut.
      expectOften(off).toBeGreaterThanOrEqual(-500);
      expectOften(off).toBeLessThan(
        Math.max(units.s, smaller === undefined ? 60_000 : smallest) + 500,
      );
      expectOften(sign === "-").toBe(milliseconds < 0);
    }),
    fuzz(5000),
  );
});

test("any text is a duration by what is said of one, or refused without what a terminal obeys", () => {
  const part = fc.constantFrom(
    "1",
    "30",
    "0",
    ".5",
    ".",
    "d",
    "h",
    "m",
    "s",
    "ms",
    " ",
    "-",
    "\n",
    "\u001b[2J",
    "é",
    "99999",
  );
  const thousandths = {
    d: 86_400_000_000n,
    h: 3_600_000_000n,
    m: 60_000_000n,
    s: 1_000_000n,
    ms: 1000n,
  };
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      let read: number | undefined;
      try {
        read = parseDuration(text, "reuse");
      } catch (error) {
        expect(error).toMatchObject({ code: "ERR_DURATION_INVALID" });
        expectOften(String(error)).not.toMatch(/\p{Cc}/u);
      }
      const isOne = /^(\d+(\.\d+)?(ms|[dhms]))+$/.test(text);
      let total = 0n;
      // To the microsecond is enough here: a part has one decimal at most, except ".5" twice.
      for (const [, whole = "", decimals = "", unit = ""] of isOne
        ? text.matchAll(/(\d+)(?:\.(\d+))?(ms|[dhms])/g)
        : [])
        total +=
          (BigInt(whole + decimals) * thousandths[unit as "d"]) / 10n ** BigInt(decimals.length);
      const expected = isOne && total > 0n && total <= BigInt(YEAR) * 1000n;
      expectOften(read === undefined).toBe(!expected);
      if (read !== undefined) expect(read).toBeCloseTo(Number(total) / 1000, 2);
    }),
    fuzz(5000),
  );
});
