import { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { connectFirst } from "../../../lib/identity/transport/addresses";
import { idle } from "../support/wanted";

/** After how many milliseconds an address accepts; "dead" never, and "refuses" does at once. */
type Ways = Readonly<Record<string, number | "dead" | "refuses">>;

/** A connection to a name with these addresses, in their order. */
async function connecting(ways: Ways, signal = idle(), host = "k.example") {
  const tried: string[] = [];
  const made: [address: string, Socket][] = [];
  const lookup = async () => Object.keys(ways);
  const target = { host, port: 443 };
  const started = performance.now();
  const connectTo = async (address: string, _port: number, over: AbortSignal) => {
    over.throwIfAborted();
    tried.push(address);
    const way = ways[address];
    if (way === "refuses")
      throw Object.assign(new Error("no"), { code: `ECONNREFUSED_${address}` });
    await setTimeout(way === "dead" ? 60_000 : way, undefined, { signal: over });
    const socket = new Socket();
    made.push([address, socket]);
    return socket;
  };
  const result = await connectFirst(target, lookup, signal, connectTo).catch((error) => error);
  const address = made.find(([, socket]) => socket === result)?.[0];
  return { tried, made, result, address, tookMs: performance.now() - started };
}

test.each<[ways: Ways, address: string, tried: number, atLeastMs: number]>([
  [{ "::1": "dead", "10.0.0.1": 400 }, "10.0.0.1", 2, 600],
  [{ "10.0.0.1": 400, "::1": "dead" }, "10.0.0.1", 2, 350],
  [{ "::1": 400, "10.0.0.1": "dead" }, "::1", 2, 350],
  [{ "10.0.0.1": "dead", "10.0.0.2": 0 }, "10.0.0.2", 2, 200],
  [{ "10.0.0.1": 0, "10.0.0.2": 0 }, "10.0.0.1", 1, 0],
  // The second is slower than what is left of the first.
  [{ "::1": 400, "10.0.0.1": 400 }, "::1", 2, 350],
])("of %j, %s is connected, after %d tries", async (ways, expected, tries, atLeastMs) => {
  const { address, tried, tookMs } = await connecting(ways);
  expect(address).toBe(expected);
  expect(tried).toHaveLength(tries);
  expect(tookMs).toBeGreaterThanOrEqual(atLeastMs);
});

test("localhost is this machine, by either address, whatever a resolver says", async () => {
  const ways = { "10.0.0.1": 0, "127.0.0.1": "refuses", "::1": 0 } as const;
  const { address, tried } = await connecting(ways, idle(), "localhost");
  expect([address, tried]).toEqual(["::1", ["127.0.0.1", "::1"]]);
});

test("a refusal begins the next at once, and the first is the error of all", async () => {
  expect(await connecting({ "::1": "refuses", "10.0.0.1": 0 })).toMatchObject({
    address: "10.0.0.1",
  });
  const { result } = await connecting({ "::1": "refuses", "10.0.0.1": "refuses" });
  expect(result.code).toBe("ECONNREFUSED_::1");
});

test("twenty dead addresses leave the last one half of the time for a connection", async () => {
  const dead = Array.from({ length: 20 }, (_, index) => [`10.0.0.${index}`, "dead"] as const);
  const { address, tookMs } = await connecting({ ...Object.fromEntries(dead), "10.0.1.0": 0 });
  expect(address).toBe("10.0.1.0");
  expect(tookMs).toBeLessThan(4_000);
});

test("of two that accept at once, the other is closed", async () => {
  const { made, result } = await connecting({ "::1": 251, "10.0.0.1": 0 });
  await setTimeout(10);
  for (const [, socket] of made) expect(socket.destroyed).toBe(socket !== result);
});

test("an abort ends all tries", async () => {
  const { result, made } = await connecting({ "::1": "dead" }, AbortSignal.timeout(10));
  expect(result.name).toMatch(/AbortError|TimeoutError/);
  expect(made).toEqual([]);
});
