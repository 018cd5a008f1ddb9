import { getEventListeners } from "node:events";
import { Flights } from "../../../lib/identity/cache/flights";
import { deferred } from "../support/scripted-transport";
import { errorOf, idle } from "../support/wanted";

/** A start function that counts its calls, and ends on command. */
function starts() {
  const signals: AbortSignal[] = [];
  const ends = [deferred<string>(), deferred<string>()];
  return {
    signals,
    land: (index: number, value: string) => ends[index]?.resolve(value),
    start: (signal: AbortSignal) => {
      signals.push(signal);
      return (ends[signals.length - 1] ?? deferred<string>()).promise;
    },
  };
}

test("those who come while it is under way share it", async () => {
  const flights = new Flights<string>();
  const { start, signals, land } = starts();
  const all = Array.from({ length: 100 }, () => flights.join("a", start, idle()));
  land(0, "value");
  expect(new Set(await Promise.all(all))).toEqual(new Set(["value"]));
  expect(signals).toHaveLength(1);
  expect(flights.size).toBe(0);
});

test("different keys do not share", async () => {
  const flights = new Flights<string>();
  const { start, signals, land } = starts();
  const both = [flights.join("a", start, idle()), flights.join("b", start, idle())];
  land(0, "1");
  land(1, "2");
  expect(await Promise.all(both)).toEqual(["1", "2"]);
  expect(signals).toHaveLength(2);
});

test("one waiter's abort ends its own wait, and no other's", async () => {
  const flights = new Flights<string>();
  const { start, signals, land } = starts();
  const leaving = new AbortController();
  const left = flights.join("a", start, leaving.signal);
  const staying = flights.join("a", start, idle());
  leaving.abort();
  expect((await errorOf(left)).code).toBe("ERR_CANCELLED");
  expect(signals[0]?.aborted).toBe(false);
  land(0, "value");
  expect(await staying).toBe("value");
});

test("aborts when the last caller has left, each of whom is counted once", async () => {
  const flights = new Flights<string>();
  const { start, signals } = starts();
  const leaving = new AbortController();
  const left = flights.join("a", start, leaving.signal);
  const others = [new AbortController(), new AbortController()];
  const staying = others.map((controller) => flights.join("a", start, controller.signal));
  leaving.abort();
  await errorOf(left);
  others[0]?.abort();
  await errorOf(staying[0] ?? Promise.resolve());
  expect(signals[0]?.aborted).toBe(false);
  others[1]?.abort();
  await errorOf(staying[1] ?? Promise.resolve());
  expect(signals[0]?.aborted).toBe(true);
});

test("an error reaches all, and is not kept", async () => {
  const flights = new Flights<string>();
  const failing = () => Promise.reject(new Error("no"));
  const both = [flights.join("a", failing, idle()), flights.join("a", failing, idle())];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
  ]);
  expect(await flights.join("a", async () => "yes", idle())).toBe("yes");
});

test("a caller with an aborted signal starts nothing", async () => {
  const controller = new AbortController();
  controller.abort();
  const { start, signals } = starts();
  expect((await errorOf(new Flights<string>().join("a", start, controller.signal))).code).toBe(
    "ERR_CANCELLED",
  );
  expect(signals).toHaveLength(0);
});

test("after an abandoned flight the next caller begins anew, and its end does not end the newer one", async () => {
  const flights = new Flights<string>();
  const { start, land } = starts();
  const leaving = new AbortController();
  const left = flights.join("a", start, leaving.signal);
  leaving.abort();
  await errorOf(left);
  const again = flights.join("a", start, idle());
  land(0, "old");
  await new Promise(setImmediate);
  expect(flights.size).toBe(1);
  land(1, "new");
  expect(await again).toBe("new");
});

test("removes the abort listeners after landing", async () => {
  const signal = idle();
  await new Flights<string>().join("a", async () => "value", signal);
  await new Promise(setImmediate);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
