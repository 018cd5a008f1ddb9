import fc from "fast-check";
import { limitsOf, type Outcome } from "../../../lib/identity";
import { describeAttempts } from "../../../lib/identity/retry/exchange";
import { decideRetry, retryAfterOf } from "../../../lib/identity/retry/policy";
import { fuzz } from "../../support/fuzz";
import { answer, fault, issued } from "../support/scripted-transport";
import { HOUR, httpDate, NOW } from "../support/wanted";

const limits = limitsOf();
const decide = (outcome: Outcome, attempt = 1, elapsedMs = 0, random = 0.5) =>
  decideRetry(outcome, { attempt, elapsedMs, random }, limits);
const asking = (value: string, more: Record<string, string> = {}) =>
  answer(503, { "Retry-After": value, ...more });

describe("what is tried again", () => {
  test.each([429, 500, 501, 502, 503, 504, 599])("%d is", (status) => {
    expect(decide(answer(status)).again).toBe(true);
  });

  test.each([200, 204, 300, 301, 308, 400, 401, 403, 404, 405, 408, 409, 413, 418, 499, 600])(
    "%d is not",
    (status) => {
      expect(decide(answer(status, { "Retry-After": "1" }))).toEqual({ again: false });
    },
  );

  test("a 201 never is, however broken: a token was issued", () => {
    for (const end of ["complete", "cut", "too_large", "too_slow", "unread"] as const) {
      expect(decide({ ...issued(), end })).toEqual({ again: false });
      expect(decide(answer(201, {}, undefined, { end }))).toEqual({ again: false });
    }
  });

  test.each(["connect_timeout", "no_answer", "connection"] as const)("the fault %s is", (kind) => {
    expect(decide(fault(kind)).again).toBe(true);
  });

  test.each([
    "tls",
    "malformed",
    "header_unprintable",
    "headers_too_large",
    "no_memory",
    "cancelled",
  ] as const)("the fault %s is not", (kind) => {
    expect(decide(fault(kind))).toEqual({ again: false });
  });

  test("of a proxy 502 is, 407 and 403 are not", () => {
    expect(decide(fault("proxy_status", { status: 502 })).again).toBe(true);
    expect(decide(fault("proxy_status", { status: 407 })).again).toBe(false);
    expect(decide(fault("proxy_status", { status: 403 })).again).toBe(false);
  });

  test("the fourth try is the last", () => {
    expect([1, 2, 3, 4, 5].map((attempt) => decide(answer(503), attempt).again)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("a connection that is refused or breaks", () => {
  const codes = ["ECONNREFUSED", "ECONNRESET", "EPIPE", undefined] as const;
  const broken = (code?: string) => fault("connection", code === undefined ? {} : { code });

  test.each(codes)("(%s) is tried again for 15 s, however often", (code) => {
    expect(decide(broken(code), 50, 14_000, 0)).toEqual({ again: true, waitMs: 0 });
    expect(decide(broken(code), 6, 14_000)).toEqual({ again: true, waitMs: 1_000 });
    expect(decide(broken(code), 6, 15_000)).toEqual({ again: false });
  });

  test("does not count as a try of an answer", () => {
    const progress = { attempt: 9, reconnects: 8, elapsedMs: 9_000, random: 0.5 };
    expect(decideRetry(answer(503), progress, limits).again).toBe(true);
  });

  test("is not tried again where the host does not exist", () => {
    expect(decide(broken("ENOTFOUND"))).toEqual({ again: false });
    expect(decide(broken("EAI_AGAIN")).again).toBe(true);
  });
});

describe("retryFor", () => {
  const broken = fault("connection", { code: "ECONNREFUSED" });
  const within = (outcome: Outcome, retryForMs: number, elapsedMs: number) =>
    decideRetry(outcome, { attempt: 1, elapsedMs, random: 0.5, retryForMs }, limits);

  test("limits the time of all tries, reconnections included", () => {
    expect(within(broken, 60_000, 59_000).again).toBe(true);
    expect(within(broken, 60_000, 60_000).again).toBe(false);
    expect(within(broken, 2_000, 2_000).again).toBe(false);
    expect(within(answer(503), 60_000, 59_000).again).toBe(true);
    expect(within(answer(503), 2_000, 2_000).again).toBe(false);
    expect(within(asking("50"), 90_000, 0)).toEqual({ again: true, waitMs: 50_125 });
  });

  test("of zero is one try", () => {
    expect(within(broken, 0, 0)).toEqual({ again: false });
    expect(within(answer(503), 0, 0)).toEqual({ again: false });
  });
});

describe("the wait", () => {
  test("is a full jitter: from nothing to a bound that doubles", () => {
    expect([1, 2, 3].map((attempt) => decide(answer(503), attempt, 0, 0))).toEqual(
      Array(3).fill({ again: true, waitMs: 0 }),
    );
    expect([1, 2, 3].map((attempt) => decide(answer(503), attempt, 0, 0.999999))).toEqual(
      [250, 500, 1000].map((waitMs) => ({ again: true, waitMs })),
    );
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

  test("that does not fit into the 30 s in all ends the tries, and says so", () => {
    expect(decide(answer(503), 1, 29_999)).toEqual({
      again: false,
      why: "the 30 s for all tries are used up",
    });
    expect(decide(answer(503), 1, 40_000).again).toBe(false);
  });
});

describe("Retry-After", () => {
  test("in seconds is waited for, with a jitter on top", () => {
    expect(decide(asking("3"), 1, 0, 0)).toEqual({ again: true, waitMs: 3000 });
    expect(decide(asking("3"), 1, 0, 0.5)).toEqual({ again: true, waitMs: 3125 });
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

  test("that ends with the time in all ends the tries", () => {
    expect(decide(asking("20"), 1, 10_000, 0).again).toBe(false);
    expect(decide(asking("20"), 1, 9_999, 0).again).toBe(true);
  });

  test("above 60 s ends the tries, and says so", () => {
    expect(decide(asking("61"))).toEqual({
      again: false,
      why: "Retry-After is 1 min 1 s, and the provider waits at most 1 min",
    });
    expect(decide(asking("9999999999")).again).toBe(false);
  });

  test("beyond what is left of the 30 s ends the tries, and says so", () => {
    expect(decide(asking("20"), 1, 15_000)).toEqual({
      again: false,
      why: "Retry-After is 20 s, and 15 s of the 30 s for all tries is left",
    });
  });
});

describe("the reported tries", () => {
  test("are left out after a single try", () => {
    expect(describeAttempts([answer(401)], 20)).toBe("");
  });

  test("are all, each with its result", () => {
    const outcomes = [
      answer(503),
      fault("connection", { code: "ECONNRESET" }),
      fault("no_answer"),
      fault("proxy_status", { status: 502 }),
    ];
    expect(describeAttempts([fault("connection"), fault("connection")], 1_000)).toBe(
      " after 2 tries in 1 s",
    );
    expect(describeAttempts(outcomes, 12_345)).toBe(
      " after 4 tries in 12 s (503, ECONNRESET, no answer, proxy 502)",
    );
  });

  test("end without a reason if there is none", () => {
    expect(describeAttempts([answer(503), answer(503)], 2000)).toBe(" after 2 tries in 2 s");
  });

  test("say the same result once, with how often", () => {
    const refused = fault("connection", { code: "ECONNREFUSED" });
    expect(describeAttempts([refused, refused, answer(503), refused], 3_000)).toBe(
      " after 4 tries in 3 s (3 × ECONNREFUSED, 503)",
    );
  });

  test("say why there was no further one", () => {
    expect(describeAttempts([answer(429)], 5, "Retry-After")).toBe(
      ", and the request was not repeated: Retry-After",
    );
    expect(describeAttempts([answer(429), answer(429)], 2000, "Retry-After")).toBe(
      " after 2 tries in 2 s, and the request was not repeated: Retry-After",
    );
  });
});
