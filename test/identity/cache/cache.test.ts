import { getEventListeners } from "node:events";
import { Cache } from "../../../lib/identity/cache/cache";
import { deferred, errorOf, idle } from "../support/wanted";

const never = () => false;
const made = (limit = 9) => new Cache<string>(limit, () => 0);

/** Questions that end on command, and the signal of each. */
function asking() {
  const known = made();
  const signals: AbortSignal[] = [];
  const ends = [deferred<string>(), deferred<string>()];
  return {
    signals,
    answer: (index: number, value: string) => ends[index]?.resolve(value),
    get: (signal = idle(), key = "a") =>
      known.get(
        key,
        never,
        (own) => {
          signals.push(own);
          return (ends[signals.length - 1] ?? deferred<string>()).promise;
        },
        signal,
      ),
  };
}

test("different keys do not share", async () => {
  const { signals, answer, get } = asking();
  const both = [get(), get(idle(), "b")];
  answer(0, "1");
  answer(1, "2");
  expect(await Promise.all(both)).toEqual(["1", "2"]);
  expect(signals).toHaveLength(2);
});

test("one waiter's abort ends its own wait, and no other's", async () => {
  const { signals, answer, get } = asking();
  const leaving = new AbortController();
  const left = get(leaving.signal);
  const staying = get();
  leaving.abort();
  expect((await errorOf(left)).code).toBe("ERR_CANCELLED");
  expect(signals[0]?.aborted).toBe(false);
  answer(0, "value");
  expect(await staying).toBe("value");
});

test("aborts when the last caller has left, each of whom is counted once", async () => {
  const { signals, get } = asking();
  const leaving = new AbortController();
  const left = get(leaving.signal);
  const others = [new AbortController(), new AbortController()];
  const staying = others.map((controller) => get(controller.signal));
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
  const known = made();
  const failing = () => Promise.reject(new Error("no"));
  const both = [known.get("a", never, failing, idle()), known.get("a", never, failing, idle())];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
  ]);
  expect(await known.get("a", never, async () => "yes", idle())).toBe("yes");
});

test("a caller with an aborted signal starts nothing", async () => {
  const { signals, get } = asking();
  expect((await errorOf(get(AbortSignal.abort()))).code).toBe("ERR_CANCELLED");
  expect(signals).toHaveLength(0);
});

test("after an abandoned question the next caller begins anew, and its end does not end the newer one", async () => {
  const { signals, answer, get } = asking();
  const leaving = new AbortController();
  const left = get(leaving.signal);
  leaving.abort();
  await errorOf(left);
  const again = get();
  answer(0, "old");
  await new Promise(setImmediate);
  void get();
  expect(signals).toHaveLength(2);
  answer(1, "new");
  expect(await again).toBe("new");
});

test("removes the abort listeners after the answer", async () => {
  const signal = idle();
  await made().get("a", never, async () => "value", signal);
  await new Promise(setImmediate);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("keeps an answer as long as its reader's rule says, by a clock that nobody sets", async () => {
  let now = 0;
  const known = new Cache<number>(9, () => now);
  let asked = 0;
  const get = (forMs: number) =>
    known.get(
      "a",
      (_, ageMs) => ageMs < forMs,
      async () => ++asked,
      idle(),
    );
  expect([await get(10), await get(10)]).toEqual([1, 1]);
  now = 10;
  expect([await get(11), await get(10), await get(10)]).toEqual([1, 2, 2]);
});

test("drops the least recently used, and forgets: one, those of a kind, or all", () => {
  const known = made(3);
  for (const key of ["a", "b", "c"]) known.keep(key, key);
  const left = () => ["b", "c", "d", "a"].filter((key) => known.find(key) !== undefined);
  expect(known.find("a")?.value).toBe("a");
  known.keep("d", "d");
  expect(left()).toEqual(["c", "d", "a"]);
  known.delete("a");
  known.deleteWhere((value) => value === "c");
  expect(left()).toEqual(["d"]);
  known.clear();
  expect(left()).toEqual([]);
});
