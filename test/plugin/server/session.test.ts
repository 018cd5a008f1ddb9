import { CancelledError } from "../../../lib/plugin/faults";
import { ProviderSession } from "../../../lib/plugin/server/session";

describe("a session", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const calm = () => new AbortController();
  const never = () => new Promise<never>(() => {});

  function sessionOf(release: (what: string) => Promise<void> = async () => {}) {
    const released: string[] = [];
    const faults: unknown[] = [];
    const session = new ProviderSession<string>(
      async (what) => {
        released.push(what);
        await release(what);
      },
      (fault) => faults.push(fault),
    );
    return { session, released, faults };
  }

  test("a second configuration releases the resources of the first, and an end those of the last", async () => {
    const { session, released } = sessionOf();
    await session.configure("one");
    await session.configure("two");
    expect([session.configured, released]).toEqual(["two", ["one"]]);
    await session.end();
    expect(released).toEqual(["one", "two"]);
  });

  test("an operation that ignores its end is not waited for; when it ends later, there is another release", async () => {
    const { session, released } = sessionOf();
    await session.configure("it");
    let endLate = () => {};
    const late = new Promise<void>((resolve) => {
      endLate = resolve;
    });
    const refused = expect(session.run(calm(), () => late)).rejects.toThrow(CancelledError);
    const ended = session.end();
    await jest.advanceTimersByTimeAsync(2_000);
    await ended;
    await refused;
    expect(released).toEqual(["it"]);
    endLate();
    await jest.advanceTimersByTimeAsync(0);
    expect(released).toEqual(["it", "it"]);
  });

  test("a release that never ends is awaited for ten seconds, and one that fails is reported", async () => {
    const { session, faults } = sessionOf(never);
    await session.configure("stuck");
    const ended = jest.fn();
    void session.end().then(ended);
    await jest.advanceTimersByTimeAsync(9_999);
    expect(ended).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalled();
    expect(faults).toEqual([]);
    const broken = sessionOf(() => Promise.reject(new Error("x")));
    await broken.session.configure("broken");
    await broken.session.end();
    expect(broken.faults).toEqual([new Error("x")]);
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

  test("an interruption ends the waits, and keeps the session's resources", async () => {
    const { session, released } = sessionOf();
    await session.configure("it");
    const refused = expect(session.run(calm(), never)).rejects.toThrow(CancelledError);
    session.interrupt();
    await refused;
    expect([session.configured, released]).toEqual(["it", []]);
    // Closing still runs; opens that Terraform had not yet requested no longer begin.
    expect(await session.run(calm(), async () => "closed")).toBe("closed");
    await expect(session.begin(calm(), async () => "begun")).rejects.toThrow(CancelledError);
  });
});
