import { CancelledError } from "../../../lib/plugin/faults";
import { ProviderSession } from "../../../lib/plugin/server/session";

const calm = () => new AbortController();

function sessionOf() {
  const released: string[] = [];
  const session = new ProviderSession<string>(
    async (what) => {
      released.push(what);
    },
    1000,
    () => undefined,
  );
  return { session, released };
}

/** An operation that ends when the test says so. */
function operation() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: async () => ended, end };
}

test("a second configuration releases the resources of the first", async () => {
  const { session, released } = sessionOf();
  await session.configure("one");
  await session.configure("two");
  expect([session.configured, released]).toEqual(["two", ["one"]]);
});

test("releases only a configured provider", async () => {
  const { session, released } = sessionOf();
  await session.end();
  expect(released).toEqual([]);
});

test("an operation that ends after the session is followed by another release", async () => {
  jest.useFakeTimers();
  try {
    const { session, released } = sessionOf();
    await session.configure("it");
    const late = operation();
    const answer = session.run(calm(), late.run);
    const refused = expect(answer).rejects.toThrow(CancelledError);
    const ended = session.end();
    await jest.advanceTimersByTimeAsync(2000);
    await ended;
    await refused;
    expect(released).toEqual(["it"]);
    late.end();
    await jest.advanceTimersByTimeAsync(0);
    expect(released).toEqual(["it", "it"]);
  } finally {
    jest.useRealTimers();
  }
});

test("starts nothing after the end, or for a cancelled call", async () => {
  const { session } = sessionOf();
  const started = jest.fn(async () => undefined);
  const cancelled = new AbortController();
  cancelled.abort();
  await expect(session.run(cancelled, started)).rejects.toThrow(CancelledError);
  await session.end();
  await expect(session.run(calm(), started)).rejects.toThrow(CancelledError);
  expect(started).not.toHaveBeenCalled();
});

test("the signal's reason is a CancelledError when the session ends", async () => {
  const { session } = sessionOf();
  const call = new AbortController();
  const refused = expect(session.run(call, operation().run)).rejects.toThrow(CancelledError);
  await session.stop();
  await refused;
  expect(call.signal.reason).toBeInstanceOf(CancelledError);
});

test("an interruption ends the waits, and keeps the session's resources", async () => {
  const { session, released } = sessionOf();
  await session.configure("it");
  const answer = session.run(calm(), operation().run);
  const refused = expect(answer).rejects.toThrow(CancelledError);
  session.interrupt();
  await refused;
  expect([session.configured, released]).toEqual(["it", []]);
  // Closing still runs; opens that Terraform had not yet requested no longer begin.
  expect(await session.run(calm(), async () => "closed")).toBe("closed");
  await expect(session.begin(calm(), async () => "begun")).rejects.toThrow(CancelledError);
});
