import { EventEmitter } from "node:events";
import { SignalRelay } from "../../../lib/cli/run/signal-relay";
import type { WatchedSignal } from "../../../lib/provider/attached/messages";

/** A relay at a given time, with the answer of the other process of the group. */
function relayAt(now: () => number, saw: (signal: WatchedSignal) => number | null | undefined) {
  const source = new EventEmitter();
  const relay = new SignalRelay(source, now);
  const forwarded: WatchedSignal[] = [];
  const asked: WatchedSignal[] = [];
  const target = {
    saw: async (signal: WatchedSignal) => {
      asked.push(signal);
      return saw(signal);
    },
    forward: (signal: WatchedSignal) => void forwarded.push(signal),
  };
  const until = async (count: number): Promise<void> => {
    while (asked.length < count) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { source, relay, target, forwarded, until };
}

test.each([
  ["SIGINT", "has received it as well", 10_000.5, []],
  ["SIGTERM", "has received it as well, a moment earlier", 9_900, []],
  ["SIGTERM", "has received it as well, while this one waited for its turn", 7_500, []],
  ["SIGTERM", "has never got one", null, ["SIGTERM"]],
  ["SIGINT", "has never got one", null, ["SIGINT"]],
  ["SIGHUP", "had got one long ago", 10, ["SIGHUP"]],
  ["SIGINT", "does not answer", undefined, []],
  ["SIGQUIT", "does not answer", undefined, []],
  ["SIGTERM", "does not answer", undefined, ["SIGTERM"]],
] as const)("%s, when the other process %s", async (signal, _what, saw, expected) => {
  const { source, relay, target, forwarded, until } = relayAt(
    () => 10_000,
    () => saw,
  );
  relay.connect(target);
  source.emit(signal);
  await until(1);
  expect(forwarded).toEqual(expected);
  relay.stop();
});

test("Ctrl-C twice is not forwarded either time", async () => {
  const { source, relay, target, forwarded, until } = relayAt(
    () => 10_000,
    () => 10_000,
  );
  relay.connect(target);
  source.emit("SIGINT");
  source.emit("SIGINT");
  await until(2);
  expect(forwarded).toEqual([]);
  relay.stop();
});

test("notes a signal before the command starts; after the command's end, a further one ends run, but not the one that has ended the command", () => {
  let now = 10_000;
  const { source, relay } = relayAt(
    () => now,
    () => null,
  );
  expect(relay.first).toBeUndefined();
  source.emit("SIGTERM");
  source.emit("SIGINT");
  expect(relay.first).toBe("SIGTERM");
  let impatient = 0;
  relay.disconnect(() => {
    impatient += 1;
  });
  source.emit("SIGINT");
  expect(impatient).toBe(0);
  now += 1_000;
  source.emit("SIGINT");
  expect(impatient).toBe(1);
  relay.stop();
  expect(source.listenerCount("SIGINT")).toBe(0);
});
