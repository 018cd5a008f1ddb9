import { getEventListeners } from "node:events";
import fc from "fast-check";
import { CredentialKeys } from "../../lib/identity/cache/credential-key";
import type { TlsMaterial } from "../../lib/identity/credential";
import { answerOf } from "../../lib/identity/interpret/exchanged";
import { limitsOf } from "../../lib/identity/limits";
import { decideRetry, describeTries } from "../../lib/identity/retry";
import { type Asking, type ExchangeTools, Services, sleep } from "../../lib/identity/service";
import type { WireRequest } from "../../lib/identity/transport/transport";
import { fuzz } from "../support/fuzz";
import { answer, fault, issued, ScriptedTransport } from "./support/scripted";
import { errorOf, idle, NOW } from "./support/wanted";

const limits = limitsOf();
const request = { method: "POST", url: "https://k.example/v3/auth/tokens", headers: {} } as const;
const refused = fault("connection", { code: "ECONNREFUSED" });

/** One request to a service of its own. */
const exchange = (
  wanted: WireRequest,
  { tls, ...how }: Asking & { readonly tls?: TlsMaterial },
  made: ExchangeTools,
  signal: AbortSignal,
) => new Services(made, new CredentialKeys()).at(wanted.url, tls).ask(wanted, how, signal);

/** Tools whose clock moves only by waiting. */
function tools(transport: ScriptedTransport, over: Partial<ExchangeTools> = {}) {
  const waits: number[] = [];
  let now = NOW;
  const made: ExchangeTools = {
    transport,
    limits,
    now: Date.now,
    clock: () => now,
    random: () => 0.5,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
    log: () => {},
    ...over,
  };
  return { made, waits };
}

test("tries for 20 s with growing waits, the last time one second before the end, and reports all", async () => {
  const script = [answer(503), fault("no_answer"), answer(429), answer(500), refused];
  const transport = new ScriptedTransport(...script);
  const { made, waits } = tools(transport);
  const { outcome, triesInWords, tries, tookMs } = await exchange(request, {}, made, idle());
  expect(outcome).toBe(refused);
  expect(waits).toEqual([125, 250, 500, 1000, 2000, 4000, 4000, 4000, 3125]);
  expect(triesInWords).toBe(" after 10 tries in 19 s");
  expect([tries, tookMs]).toEqual([10, 19_000]);
});

test.each([
  [0, [10_000]],
  [1_000, [10_000]],
  [2_000, [10_000, 1_875, 1_625, 1_125, 1_000]],
])("retryFor of %d ms bounds the tries, not the first one", async (retryForMs, timeouts) => {
  const transport = new ScriptedTransport(() => refused);
  await exchange(request, { retryForMs }, tools(transport).made, idle());
  expect(transport.sent.map(({ options }) => options.timeoutMs)).toEqual(timeouts);
});

test("after a wait that took too long, the last try has a second", async () => {
  const clock = { now: NOW };
  const transport = new ScriptedTransport(() => refused);
  const sleep = async () => {
    clock.now += 60_000;
  };
  const { made } = tools(transport, { clock: () => clock.now, sleep });
  await exchange(request, {}, made, idle());
  expect(transport.sent.map(({ options }) => options.timeoutMs)).toEqual([10_000, 1_000]);
});

test("an error names the time that the last try had", async () => {
  const transport = new ScriptedTransport(fault("connect_timeout"));
  const { made } = tools(transport);
  const exchanged = await exchange(request, { retryForMs: 4_000 }, made, idle());
  expect(transport.sent.at(-1)?.options.timeoutMs).toBe(1_000);
  expect((await errorOf(() => answerOf(exchanged))).problem).toMatch(
    /^No connection to k.example within 1 s after \d+ tries in 3 s\.$/,
  );
});

test("a clock that is set back, or forward, changes nothing", async () => {
  let now = NOW;
  const transport = new ScriptedTransport(() => refused);
  const { made, waits } = tools(transport, { now: () => (now -= 60_000) });
  await exchange(request, {}, made, idle());
  expect(waits.reduce((sum, wait) => sum + wait)).toBe(19_000);
});

test("an abort while it waits ends it without a further try", async () => {
  const controller = new AbortController();
  const transport = new ScriptedTransport(answer(503));
  const { made } = tools(transport, { sleep: async () => controller.abort() });
  const { outcome, triesInWords } = await exchange(request, {}, made, controller.signal);
  expect([outcome, triesInWords]).toEqual([{ kind: "fault", fault: "cancelled" }, ""]);
  expect(transport.sent).toHaveLength(1);
});

test("logs each try with its result, and neither query, headers nor body", async () => {
  const lines: unknown[] = [];
  const { url } = request;
  const headers = { "x-auth-token": "CANARY" };
  const secret = { ...request, url: `${url}?CANARY`, headers, body: "CANARY" };
  const transport = new ScriptedTransport(answer(503, { a: "CANARY" }, "CANARY"), issued("CANARY"));
  const { made } = tools(transport, { log: (...line) => lines.push(line) });
  const tls = { ca: "CA" };
  await exchange(secret, { tls }, made, idle());
  expect(transport.sent.map(({ options }) => options.tls)).toEqual([tls, tls]);
  const line = ["debug", "identity service: try"];
  expect(lines).toEqual([
    [...line, { method: "POST", url, try: 1, result: "503", again_in_ms: 125 }],
    [...line, { method: "POST", url, try: 2, result: "201" }],
  ]);
});

test("the wait ends early on an abort, and leaves no listener", async () => {
  const controller = new AbortController();
  const waiting = sleep(60_000, controller.signal);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
  controller.abort();
  await waiting;
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  await sleep(60_000, controller.signal);
});

test("whatever is asked, a wait is at most 8 s or what Retry-After says, and leaves a second", () => {
  const someMs = fc.integer({ min: 0, max: 100_000 });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const attempts = fc.integer({ min: 1, max: 100 });
  const after = fc.option(fc.integer({ min: 1, max: 200 }));
  fc.assert(
    fc.property(
      attempts,
      someMs,
      someMs,
      chance,
      after,
      (attempt, totalMs, elapsedMs, random, asked) => {
        const outcome = answer(503, asked === null ? {} : { "Retry-After": String(asked) });
        const progress = { attempt, totalMs, elapsedMs, random };
        const { waitMs, why } = decideRetry(outcome, progress, limits);
        if (waitMs === undefined)
          return asked !== null || (why === undefined && elapsedMs >= totalMs - 1000);
        const [least, most] = asked === null ? [0, 8_000] : [asked * 1000, asked * 1000 + 250];
        return waitMs >= least && waitMs <= most && elapsedMs + waitMs <= totalMs - 1000;
      },
    ),
    fuzz(2000),
  );
});

test.each([
  [0, [0, 0, 0, 0]],
  [0.999999, [250, 500, 1000, 2000]],
])(
  "without a request to wait, the wait is a full jitter, to a bound that doubles: by %d",
  (random, waits) => {
    const decided = [1, 2, 3, 4].map((attempt) =>
      decideRetry(answer(503), { attempt, totalMs: 20_000, elapsedMs: 0, random }, limits),
    );
    expect(decided).toEqual(waits.map((waitMs) => ({ waitMs })));
  },
);

test.each([
  [20_000, 0, 19, { waitMs: 19_000 }],
  [300_000, 0, 290, { waitMs: 290_000 }],
  [20_000, 5_000, 15, { why: "Retry-After is 15 s, and 15 s of the 20 s for all tries is left" }],
  [0, 0, 5, {}],
])("Retry-After within %d ms for all tries, after %d ms: %d s", (...row) => {
  const [totalMs, elapsedMs, asked, decided] = row;
  const outcome = answer(503, { "Retry-After": String(asked) });
  const progress = { attempt: 1, totalMs, elapsedMs, random: 0 };
  expect(decideRetry(outcome, progress, limits)).toEqual(decided);
});

test("a date in Retry-After is compared with the service's clock, not with this machine's", () => {
  const headers = {
    Date: "Sat, 01 Aug 2026 12:00:00 GMT",
    "Retry-After": "Sat, 01 Aug 2026 12:00:07 GMT",
  };
  // And with jitter.
  const progress = { attempt: 1, totalMs: 20_000, elapsedMs: 0, random: 0.5 };
  expect(decideRetry(answer(503, headers), progress, limits)).toEqual({ waitMs: 7_125 });
});

test.each<[said: string, tries: number, why: string | undefined]>([
  ["", 1, undefined],
  [" after 2 tries in 2 s", 2, undefined],
  [", and the request was not repeated: Retry-After", 1, "Retry-After"],
  [" after 3 tries in 2 s, and the request was not repeated: Retry-After", 3, "Retry-After"],
])("says %j", (said, tries, why) => {
  expect(describeTries(tries, 2_000, why)).toBe(said);
});
