import type { CtyObject } from "../../../lib/plugin/cty/value";
import { CancelledError } from "../../../lib/plugin/faults";
import type { OperationContext } from "../../../lib/plugin/provider";
import { Session } from "../../../lib/plugin/server/session";

const calm = () => new AbortController();
const never = () => new Promise<never>(() => {});

/** A session that is configured with a name. */
async function begin(name: string, release: () => Promise<void> = async () => {}) {
  const released: string[] = [];
  const logged: unknown[] = [];
  const provider = {
    configure: async (block: CtyObject) => ({ session: String(block.name) }),
    release: (session: string) => {
      released.push(session);
      return release();
    },
  };
  const session = new Session<string>(provider, new Map(), (...line) => logged.push(line));
  const configure = (name: string) => session.configure(calm(), { name });
  await configure(name);
  return { session, configure, released, logged };
}

const expectCancelled = (run: Promise<unknown>) => expect(run).rejects.toThrow(CancelledError);

const nameOf = async ({ session }: OperationContext<string>) => session;

describe("a session", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test("a second configuration releases what the first holds, and an end what the last holds", async () => {
    const { session, configure, released } = await begin("one");
    await configure("two");
    expect([await session.run(calm(), nameOf), released]).toEqual(["two", ["one"]]);
    await session.end();
    expect(released).toEqual(["one", "two"]);
  });

  test("an operation that ignores its end is not waited for; when it ends later, there is another release", async () => {
    const { session, released } = await begin("it");
    let endLate = () => {};
    const late = new Promise<void>((resolve) => {
      endLate = resolve;
    });
    const refused = expectCancelled(session.run(calm(), () => late));
    const ended = session.end();
    await jest.advanceTimersByTimeAsync(2_000);
    await ended;
    await refused;
    expect(released).toEqual(["it"]);
    endLate();
    await jest.advanceTimersByTimeAsync(0);
    expect(released).toEqual(["it", "it"]);
  });

  test("a release that never ends is awaited for ten seconds, and one that fails is logged", async () => {
    const { session, logged } = await begin("stuck", never);
    const ended = jest.fn();
    void session.end().then(ended);
    await jest.advanceTimersByTimeAsync(9_999);
    expect(ended).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalled();
    expect(logged).toEqual([]);
    const broken = await begin("broken", () => Promise.reject(new Error("canary")));
    await broken.session.end();
    expect(broken.logged).toEqual([
      ["warn", "a session's resources could not be released", { fault: "Error" }],
    ]);
  });

  test("starts nothing after the end, or for a cancelled call", async () => {
    const { session } = await begin("it");
    const started = jest.fn(async () => undefined);
    const cancelled = new AbortController();
    cancelled.abort();
    await expectCancelled(session.run(cancelled, started));
    await session.end();
    await expectCancelled(session.run(calm(), started));
    expect(started).not.toHaveBeenCalled();
  });

  test("an interruption ends the waits, and keeps what the session holds", async () => {
    const { session, released } = await begin("it");
    const refused = expectCancelled(session.run(calm(), never));
    session.interrupt();
    await refused;
    expect(released).toEqual([]);
    // Closing still runs; opens that Terraform had not yet requested no longer begin.
    const closed = session.run(calm(), nameOf, { afterInterruption: true });
    expect(await closed).toBe("it");
    await expectCancelled(session.run(calm(), nameOf));
  });
});
