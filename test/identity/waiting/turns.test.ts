import { getEventListeners } from "node:events";
import { Turns } from "../../../lib/identity/waiting/turns";
import { deferred, errorOf, idle } from "../support/wanted";

/** One turn at a time, which is taken until `end` is called. */
function taken() {
  const turns = new Turns(1);
  const { promise, resolve } = deferred<void>();
  const first = turns.take(() => promise, idle());
  const end = () => {
    resolve();
    return first;
  };
  return { take: (signal: AbortSignal, value = "") => turns.take(async () => value, signal), end };
}

test("an abort ends the wait for a turn at once, and leaves its place to the next", async () => {
  const { take, end } = taken();
  const controller = new AbortController();
  const leaving = take(controller.signal);
  const staying = take(idle(), "staying");
  controller.abort();
  expect((await errorOf(leaving)).code).toBe("ERR_CANCELLED");
  await end();
  expect(await staying).toBe("staying");
  expect(await take(idle(), "free again")).toBe("free again");
});

test("a turn that comes at the moment of the abort is not lost", async () => {
  const { take, end } = taken();
  const controller = new AbortController();
  const leaving = take(controller.signal);
  // In the order in which both reach the waiting one.
  controller.abort();
  void end();
  await errorOf(leaving);
  expect(await take(idle(), "next")).toBe("next");
});

test("one that is aborted before does not wait", async () => {
  const { take } = taken();
  expect((await errorOf(take(AbortSignal.abort()))).code).toBe("ERR_CANCELLED");
});

test("leaves no listener on a signal", async () => {
  const { take, end } = taken();
  const signal = idle();
  const waiting = take(signal);
  await end();
  await waiting;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
