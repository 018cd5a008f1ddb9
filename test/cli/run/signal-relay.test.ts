import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { relaySignals } from "../../../lib/cli/run/signal-relay";
import type { WatchedSignal } from "../../../lib/provider/attached/messages";

test.each<[string, string, string, number | null | undefined]>([
  ["SIGINT", "has received it as well", "", 10_000.5],
  // Ctrl-C twice.
  ["SIGINT SIGINT", "has received both as well", "", 10_000],
  ["SIGTERM", "has received it as well, a moment earlier", "", 9_900],
  ["SIGTERM", "has received it as well, while this one waited for its turn", "", 7_500],
  ["SIGTERM", "has never got one", "SIGTERM", null],
  ["SIGINT", "has never got one", "SIGINT", null],
  ["SIGHUP", "had got one long ago", "SIGHUP", 10],
  ["SIGINT", "does not answer", "", undefined],
  ["SIGQUIT", "does not answer", "", undefined],
  ["SIGTERM", "does not answer", "SIGTERM", undefined],
])("of %s, when the other process %s, %j is forwarded", async (signals, _, expected, saw) => {
  const source = new EventEmitter();
  const relay = relaySignals(source, () => 10_000);
  const forwarded: WatchedSignal[] = [];
  const unasked = signals.split(" ");
  relay.connect({
    saw: async (signal) => {
      expect(unasked.shift()).toBe(signal);
      return saw;
    },
    forward: (signal) => void forwarded.push(signal),
  });
  for (const signal of [...unasked]) source.emit(signal);
  while (unasked.length > 0) await turn();
  await turn();
  expect(forwarded.join()).toBe(expected);
  relay.stop();
});

test("a signal that arrives as the command ends is not forwarded to what may have its id next", async () => {
  const source = new EventEmitter();
  const relay = relaySignals(source, () => 10_000);
  const forwarded: WatchedSignal[] = [];
  let answered = () => {};
  const asked = new Promise<void>((resolve) => {
    relay.connect({
      saw: () => {
        resolve();
        return new Promise((answer) => {
          answered = () => answer(null);
        });
      },
      forward: (signal) => void forwarded.push(signal),
    });
  });
  source.emit("SIGTERM");
  await asked;
  relay.disconnect(() => {});
  answered();
  await turn();
  expect(forwarded).toEqual([]);
  relay.stop();
});

test("notes a signal before the command starts; after the command's end, a further one ends run, but not the one that has ended the command", () => {
  let now = 10_000;
  const source = new EventEmitter();
  const relay = relaySignals(source, () => now);
  expect(relay.first()).toBeUndefined();
  source.emit("SIGTERM");
  source.emit("SIGINT");
  expect(relay.first()).toBe("SIGTERM");
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
