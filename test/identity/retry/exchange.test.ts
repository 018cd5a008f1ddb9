import { getEventListeners } from "node:events";
import { limitsOf } from "../../../lib/identity";
import { type ExchangeTools, exchange, sleep } from "../../../lib/identity/retry/exchange";
import { answer, fault, issued, ScriptedTransport } from "../support/scripted-transport";
import { idle, NOW } from "../support/wanted";

const request = {
  request: { method: "POST", url: "https://k.example/v3/auth/tokens", headers: {} },
  wantsBody: () => true,
} as const;

/** Tools whose clock moves only by waiting. */
function tools(transport: ScriptedTransport, over: Partial<ExchangeTools> = {}) {
  const waits: number[] = [];
  let now = NOW;
  const made: ExchangeTools = {
    transport,
    limits: limitsOf(),
    now: () => now,
    random: () => 0.5,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
    log: () => {},
    ...over,
  };
  return { made, waits, pass: (milliseconds: number) => (now += milliseconds) };
}

test("tries up to four times, and one to reconnect, with growing waits, and reports all of them", async () => {
  const transport = new ScriptedTransport(
    answer(503),
    fault("connection", { code: "ECONNRESET" }),
    answer(429),
    answer(500),
    answer(503),
  );
  const { made, waits } = tools(transport);
  const { outcome, attempts } = await exchange(request, made, idle());
  expect(outcome).toMatchObject({ status: 503 });
  expect(transport.sent).toHaveLength(5);
  expect(waits).toEqual([125, 250, 500, 1000]);
  expect(attempts).toBe(" after 5 tries in 2 s (2 × 503, ECONNRESET, 429, 500)");
});

test("waits 15 s for a service that restarts, and no longer", async () => {
  const refused = fault("connection", { code: "ECONNREFUSED" });
  const transport = new ScriptedTransport(() => refused);
  const { made, waits } = tools(transport);
  const { attempts } = await exchange(request, made, idle());
  expect(waits).toEqual([125, 250, 500, 1000, 2000, 4000, 4000, 3125]);
  expect(attempts).toBe(" after 9 tries in 15 s");
});

test.each([
  [0, [10_000]],
  [2_000, [10_000, 1_875, 1_625, 1_125, 1_000, 1_000]],
])("retryFor of %d ms bounds the tries, not the first one", async (retryForMs, timeouts) => {
  const transport = new ScriptedTransport(() => fault("connection", { code: "ECONNREFUSED" }));
  await exchange({ ...request, retryForMs }, tools(transport).made, idle());
  expect(transport.sent.map(({ options }) => options.timeoutMs)).toEqual(timeouts);
});

test("ends with the first final answer", async () => {
  const transport = new ScriptedTransport(answer(503), issued("t"), answer(503));
  const { outcome } = await exchange(request, tools(transport).made, idle());
  expect(outcome).toMatchObject({ status: 201 });
  expect(transport.sent).toHaveLength(2);
});

test("gives each try 10 s, and the last one the rest of the 30 s", async () => {
  const transport = new ScriptedTransport(() => {
    pass(9_900);
    return fault("no_answer");
  });
  const { made, pass } = tools(transport);
  await exchange(request, made, idle());
  expect(transport.sent.map(({ options }) => options.timeoutMs)).toEqual([10_000, 10_000, 9_825]);
});

test("an abort while it waits ends it without a further try", async () => {
  const controller = new AbortController();
  const transport = new ScriptedTransport(answer(503));
  const { made } = tools(transport, { sleep: async () => controller.abort() });
  expect((await exchange(request, made, controller.signal)).outcome).toEqual({
    kind: "fault",
    fault: "cancelled",
  });
  expect(transport.sent).toHaveLength(1);
});

test("logs each try with its result, and neither headers nor body", async () => {
  const lines: unknown[] = [];
  const secret = {
    request: { ...request.request, headers: { "x-auth-token": "CANARY" }, body: "CANARY" },
    wantsBody: () => true,
  } as const;
  const transport = new ScriptedTransport(answer(503, { a: "CANARY" }, "CANARY"), issued("CANARY"));
  await exchange(secret, tools(transport, { log: (...line) => lines.push(line) }).made, idle());
  expect(lines).toEqual([
    [
      "debug",
      "identity service: try",
      { method: "POST", url: request.request.url, try: 1, result: "503", again_in_ms: 125 },
    ],
    [
      "debug",
      "identity service: try",
      { method: "POST", url: request.request.url, try: 2, result: "201" },
    ],
  ]);
});

describe("the default wait", () => {
  test("ends early on an abort, and leaves no listener", async () => {
    const controller = new AbortController();
    const waiting = sleep(60_000, controller.signal);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort();
    await waiting;
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  test("does not begin after an abort", async () => {
    await sleep(60_000, AbortSignal.abort());
  });

  test("ends by itself", async () => {
    const since = performance.now();
    await sleep(20, idle());
    // A timer may be a millisecond early.
    expect(performance.now() - since).toBeGreaterThan(18);
  });
});

test.each([
  ["a 429", answer(429), true],
  ["a 503 that says when to come back", answer(503, { "Retry-After": "2" }), true],
  ["a 503 that does not", answer(503), false],
  ["a fault", fault("connection"), false],
])("the wait after %s holds those that have not begun: %s", async (_what, outcome, holds) => {
  const { made, waits } = tools(new ScriptedTransport(outcome, issued()));
  let held = 0;
  await exchange(request, made, idle(), async (rest) => {
    held++;
    await rest();
  });
  expect([held, waits.length]).toEqual([holds ? 1 : 0, 1]);
});

test.each([[{ ca: "CA" }], [undefined]])("is sent with the TLS material %j", async (tls) => {
  const transport = new ScriptedTransport(issued());
  const wanted = tls === undefined ? request : { ...request, tls };
  await exchange(wanted, tools(transport).made, idle());
  expect(transport.sent[0]?.options.tls).toEqual(tls);
});
