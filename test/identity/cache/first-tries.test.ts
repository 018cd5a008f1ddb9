import { FirstTries } from "../../../lib/identity/cache/first-tries";
import { deferred } from "../support/scripted-transport";
import { idle } from "../support/wanted";

/** Requests that end on command, and a list of those that were begun. */
function requests(tries: FirstTries) {
  const begun: string[] = [];
  const ends = new Map<string, (value: string) => void>();
  const run = (
    name: string,
    key: string,
    over: { signal?: AbortSignal; recheck?: () => void } = {},
  ) =>
    tries.run(key, over.signal ?? idle(), over.recheck ?? (() => {}), () => {
      begun.push(name);
      const { promise, resolve } = deferred<string>();
      ends.set(name, resolve);
      return promise;
    });
  const end = (name: string) => ends.get(name)?.(name);
  return { begun, run, end };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("others of the same key wait for the first; those of another key do not", async () => {
  const { begun, run, end } = requests(new FirstTries(9));
  const first = run("first", "a");
  run("second", "a");
  run("other", "b");
  await turn();
  expect(begun).toEqual(["first", "other"]);
  end("first");
  expect(await first).toBe("first");
  await turn();
  expect(begun).toEqual(["first", "other", "second"]);
});

test("does not begin a try that has become pointless", async () => {
  const { begun, run, end } = requests(new FirstTries(9));
  run("first", "a");
  const second = run("second", "a", {
    recheck: () => {
      throw new Error("rejected");
    },
  });
  end("first");
  await expect(second).rejects.toThrow("rejected");
  expect(begun).toEqual(["first"]);
});

test("a first that fails lets the others go on", async () => {
  const tries = new FirstTries(9);
  const { begun, run } = requests(tries);
  const failing = tries.run(
    "a",
    idle(),
    () => {},
    () => Promise.reject(new Error("down")),
  );
  run("second", "a");
  await expect(failing).rejects.toThrow("down");
  await turn();
  expect(begun).toEqual(["second"]);
});

test("those that waited for an inconclusive try do not wait for each other; a later one waits for them", async () => {
  const { begun, run, end } = requests(new FirstTries(9));
  run("first", "a");
  run("second", "a");
  run("third", "a");
  end("first");
  await turn();
  expect(begun).toEqual(["first", "second", "third"]);
  run("fourth", "a");
  await turn();
  expect(begun).not.toContain("fourth");
  end("third");
  await turn();
  expect(begun).not.toContain("fourth");
  end("second");
  await turn();
  expect(begun).toContain("fourth");
});

test("an abort ends the wait", async () => {
  const controller = new AbortController();
  const { begun, run } = requests(new FirstTries(9));
  run("first", "a");
  run("second", "a", { signal: controller.signal });
  controller.abort();
  await turn();
  expect(begun).toEqual(["first", "second"]);
});

describe("with a credential that was accepted", () => {
  const accepted = () => {
    const tries = new FirstTries(9);
    tries.accept("a");
    return { tries, ...requests(tries) };
  };

  test("nobody waits", async () => {
    const { begun, run } = accepted();
    run("first", "a");
    run("second", "a");
    await turn();
    expect(begun).toEqual(["first", "second"]);
  });

  test("that was rejected since, others wait again", async () => {
    const { tries, begun, run } = accepted();
    tries.reject("a");
    run("first", "a");
    run("second", "a");
    await turn();
    expect(begun).toEqual(["first"]);
  });
});
