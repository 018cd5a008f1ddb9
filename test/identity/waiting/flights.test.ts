import { getEventListeners } from "node:events";
import { Flights } from "../../../lib/identity/waiting/flights";
import { deferred } from "../support/scripted-transport";
import { errorOf, idle } from "../support/wanted";

/** Flights that end on command, and the signal of each. */
function airport() {
  const flights = new Flights<string>();
  const signals: AbortSignal[] = [];
  const ends = [deferred<string>(), deferred<string>()];
  return {
    signals,
    land: (index: number, value: string) => ends[index]?.resolve(value),
    join: (signal = idle(), key = "a") =>
      flights.join(
        key,
        (own) => {
          signals.push(own);
          return (ends[signals.length - 1] ?? deferred<string>()).promise;
        },
        signal,
      ),
  };
}

test("different keys do not share", async () => {
  const { signals, land, join } = airport();
  const both = [join(), join(idle(), "b")];
  land(0, "1");
  land(1, "2");
  expect(await Promise.all(both)).toEqual(["1", "2"]);
  expect(signals).toHaveLength(2);
});

test("one waiter's abort ends its own wait, and no other's", async () => {
  const { signals, land, join } = airport();
  const leaving = new AbortController();
  const left = join(leaving.signal);
  const staying = join();
  leaving.abort();
  expect((await errorOf(left)).code).toBe("ERR_CANCELLED");
  expect(signals[0]?.aborted).toBe(false);
  land(0, "value");
  expect(await staying).toBe("value");
});

test("aborts when the last caller has left, each of whom is counted once", async () => {
  const { signals, join } = airport();
  const leaving = new AbortController();
  const left = join(leaving.signal);
  const others = [new AbortController(), new AbortController()];
  const staying = others.map((controller) => join(controller.signal));
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
  const { signals, join } = airport();
  expect((await errorOf(join(AbortSignal.abort()))).code).toBe("ERR_CANCELLED");
  expect(signals).toHaveLength(0);
});

test("after an abandoned flight the next caller begins anew, and its end does not end the newer one", async () => {
  const { signals, land, join } = airport();
  const leaving = new AbortController();
  const left = join(leaving.signal);
  leaving.abort();
  await errorOf(left);
  const again = join();
  land(0, "old");
  await new Promise(setImmediate);
  void join();
  expect(signals).toHaveLength(2);
  land(1, "new");
  expect(await again).toBe("new");
});

test("removes the abort listeners after landing", async () => {
  const signal = idle();
  await new Flights<string>().join("a", async () => "value", signal);
  await new Promise(setImmediate);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
