import fc from "fast-check";
import { limitsOf, type Outcome } from "../../../lib/identity";
import { describeAttempts } from "../../../lib/identity/retry/exchange";
import { decideRetry, retryAfterOf } from "../../../lib/identity/retry/policy";
import { defined } from "../../../lib/tokens";
import { fuzz } from "../../support/fuzz";
import { answer, fault, issued } from "../support/scripted-transport";
import { HOUR, httpDate, NOW } from "../support/wanted";

const limits = limitsOf();
const decide = (outcome: Outcome, attempt = 1, elapsedMs = 0, random = 0.5) =>
  decideRetry(outcome, { attempt, elapsedMs, random }, limits);
const asking = (value: string, more: Record<string, string> = {}) =>
  answer(503, { "Retry-After": value, ...more });
const broken = (code?: string) => fault("connection", defined({ code }));
const END = { again: false };

describe("what is tried again", () => {
  test.each<readonly [string, Outcome]>([
    ...[429, 500, 501, 502, 503, 504, 599].map(
      (status) => [String(status), answer(status)] as const,
    ),
    ...(["connect_timeout", "no_answer", "connection"] as const).map(
      (kind) => [kind, fault(kind)] as const,
    ),
    ["502 of a proxy", fault("proxy_status", { status: 502 })],
    ["a name that cannot be resolved now", broken("EAI_AGAIN")],
  ])("%s is", (_what, outcome) => {
    expect(decide(outcome).again).toBe(true);
  });

  test.each<readonly [string, Outcome]>([
    ...[200, 204, 300, 301, 308, 400, 401, 403, 404, 405, 408, 409, 413, 418, 499, 600].map(
      (status) => [String(status), answer(status, { "Retry-After": "1" })] as const,
    ),
    ...(
      [
        "tls",
        "malformed",
        "header_unprintable",
        "headers_too_large",
        "no_memory",
        "cancelled",
      ] as const
    ).map((kind) => [kind, fault(kind)] as const),
    ["407 of a proxy", fault("proxy_status", { status: 407 })],
    ["403 of a proxy", fault("proxy_status", { status: 403 })],
    ["a host that does not exist", broken("ENOTFOUND")],
    // However broken it is: a token was issued.
    ...(["complete", "cut", "too_large", "too_slow", "unread"] as const).flatMap((end) => [
      ["201", { ...issued(), end }] as const,
      ["201 without a token", answer(201, {}, undefined, { end })] as const,
    ]),
  ])("%s is not", (_what, outcome) => {
    expect(decide(outcome)).toEqual(END);
  });

  test("the fourth try is the last", () => {
    const attempts = [1, 2, 3, 4, 5].map((attempt) => decide(answer(503), attempt).again);
    expect(attempts).toEqual([true, true, true, false, false]);
  });
});

describe("a connection that is refused or breaks", () => {
  test.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", undefined])(
    "(%s) is tried again for 15 s, however often",
    (code) => {
      expect(decide(broken(code), 50, 14_000, 0)).toEqual({ again: true, waitMs: 0 });
      expect(decide(broken(code), 6, 14_000)).toEqual({ again: true, waitMs: 1_000 });
      expect(decide(broken(code), 6, 15_000)).toEqual(END);
    },
  );

  test("does not count as a try of an answer", () => {
    const progress = { attempt: 9, reconnects: 8, elapsedMs: 9_000, random: 0.5 };
    expect(decideRetry(answer(503), progress, limits).again).toBe(true);
  });
});

test.each<[retryForMs: number, elapsedMs: number, Outcome, decision: object]>([
  [60_000, 59_000, broken("ECONNREFUSED"), { again: true, waitMs: 125 }],
  [60_000, 60_000, broken("ECONNREFUSED"), END],
  [2_000, 2_000, broken("ECONNREFUSED"), END],
  [60_000, 59_000, answer(503), { again: true, waitMs: 125 }],
  [2_000, 2_000, answer(503), { ...END, why: "the 2 s for all tries are used up" }],
  [90_000, 0, asking("50"), { again: true, waitMs: 50_125 }],
  [0, 0, broken("ECONNREFUSED"), END],
  [0, 0, answer(503), END],
])(
  "retryFor of %d ms limits the time of all tries: after %d ms",
  (retryForMs, elapsedMs, outcome, decision) => {
    const progress = { attempt: 1, elapsedMs, random: 0.5, retryForMs };
    expect(decideRetry(outcome, progress, limits)).toEqual(decision);
  },
);

describe("the wait", () => {
  test.each([
    [0, [0, 0, 0]],
    [0.999999, [250, 500, 1000]],
  ])("is a full jitter, from nothing to a bound that doubles: by %d", (random, waits) => {
    const decided = [1, 2, 3].map((attempt) => decide(answer(503), attempt, 0, random));
    expect(decided).toEqual(waits.map((waitMs) => ({ again: true, waitMs })));
  });

  test("never exceeds 8 s by itself, nor the time in all", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }),
        (attempt, elapsedMs, random, after) => {
          const outcome = after === undefined ? answer(503) : asking(String(after));
          const decision = decideRetry(
            outcome,
            { attempt, elapsedMs, random },
            limitsOf({ attempts: 1000, totalMs: 90_000 }),
          );
          if (!decision.again) return true;
          const bound = after === undefined || after === 0 ? 8_000 : after * 1000 + 250;
          return (
            decision.waitMs >= (after ?? 0) * 1000 &&
            decision.waitMs <= bound &&
            elapsedMs + decision.waitMs < 90_000 &&
            (after ?? 0) <= 60
          );
        },
      ),
      fuzz(2000),
    );
  });
});

describe("Retry-After", () => {
  test.each<[what: string, Outcome, elapsedMs: number, random: number, decision: object]>([
    ["in seconds is waited for", asking("3"), 0, 0, { again: true, waitMs: 3000 }],
    ["has a jitter on top", asking("3"), 0, 0.5, { again: true, waitMs: 3125 }],
    ["that ends before the time in all", asking("20"), 9_999, 0, { again: true, waitMs: 20_000 }],
    [
      "that ends with it",
      asking("20"),
      10_000,
      0,
      { ...END, why: "Retry-After is 20 s, and 20 s of the 30 s for all tries is left" },
    ],
    [
      "above 60 s",
      asking("61"),
      0,
      0.5,
      { ...END, why: "Retry-After is 1 min 1 s, and the provider waits at most 1 min" },
    ],
    [
      "that is not there, when the time is over",
      answer(503),
      29_999,
      0.5,
      { ...END, why: "the 30 s for all tries are used up" },
    ],
  ])("%s", (_what, outcome, elapsedMs, random, decision) => {
    expect(decide(outcome, 1, elapsedMs, random)).toEqual(decision);
  });

  test("as a date is counted on the service's own clock", () => {
    expect(retryAfterOf(asking(httpDate(NOW - HOUR + 7000), { Date: httpDate(NOW - HOUR) }))).toBe(
      7000,
    );
    expect(retryAfterOf(asking(httpDate(NOW + 7000)))).toBe(7000);
  });

  test.each([
    ["0", 0],
    [httpDate(NOW - HOUR), 0],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["", undefined],
    ["99999999999999999999", undefined],
    ["1e3", undefined],
  ])("of %j is %p", (value, waited) => {
    expect(retryAfterOf(asking(value))).toBe(waited);
  });

  test("given twice counts as the longer one", () => {
    expect(retryAfterOf(answer(429, { "Retry-After": ["2", "9"] }))).toBe(9000);
  });

  test("of 60 s is waited for when there is time", () => {
    const patient = limitsOf({ totalMs: 120_000 });
    const progress = { attempt: 1, elapsedMs: 0, random: 0 };
    expect(decideRetry(asking("60"), progress, patient)).toEqual({ again: true, waitMs: 60_000 });
  });
});

const refused = broken("ECONNREFUSED");
test.each<[tries: readonly Outcome[], tookMs: number, why: string | undefined, said: string]>([
  [[answer(401)], 20, undefined, ""],
  [[broken(), broken()], 1_000, undefined, " after 2 tries in 1 s"],
  [
    [answer(503), broken("ECONNRESET"), fault("no_answer"), fault("proxy_status", { status: 502 })],
    12_345,
    undefined,
    " after 4 tries in 12 s (503, ECONNRESET, no answer, proxy 502)",
  ],
  // The same result once, with how often.
  [[answer(503), answer(503)], 2000, undefined, " after 2 tries in 2 s"],
  [
    [refused, refused, answer(503), refused],
    3_000,
    undefined,
    " after 4 tries in 3 s (3 × ECONNREFUSED, 503)",
  ],
  [[answer(429)], 5, "Retry-After", ", and the request was not repeated: Retry-After"],
  [
    [answer(429), answer(429)],
    2000,
    "Retry-After",
    " after 2 tries in 2 s, and the request was not repeated: Retry-After",
  ],
])("%# of the reported tries: in %d ms, why no more: %p: %j", (tries, tookMs, why, said) => {
  expect(describeAttempts(tries, tookMs, why)).toBe(said);
});
