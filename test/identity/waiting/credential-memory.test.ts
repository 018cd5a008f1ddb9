import { limitsOf } from "../../../lib/identity/limits";
import { CredentialMemory } from "../../../lib/identity/waiting/credential-memory";
import { type ErrorCode, IamTokensError } from "../../../lib/tokens";
import { deferred } from "../support/scripted-transport";
import { errorOf, idle, NOW } from "../support/wanted";

const failWith = (code: ErrorCode) => () => {
  throw new IamTokensError(code, "The problem.");
};
const refuse = failWith("ERR_CREDENTIALS_REJECTED");

/** A memory with its clock, and requests that end on command. Of "u/web", the login is "u". */
function remembering() {
  const clock = { now: NOW };
  const memory = new CredentialMemory(limitsOf(), () => clock.now);
  const begun: string[] = [];
  const ends = new Map<string, (end: () => string) => void>();
  const triedOf = (key: string) => ({ key, login: key.split("/", 1)[0] ?? "" });
  return {
    clock,
    memory,
    begun,
    /** Judges an answer to a key. */
    judge: (key: string, answer: () => string = () => "yes") => memory.judge(triedOf(key), answer),
    refusal: (key: string) => errorOf(() => memory.assertNotRefused(triedOf(key))),
    passes: (key: string) => memory.assertNotRefused(triedOf(key)),
    run: (key: string, { as = key, signal = idle() } = {}) => {
      const running = memory.run(triedOf(key), signal, async () => {
        begun.push(as);
        const { promise, resolve } = deferred<() => string>();
        ends.set(as, resolve);
        const answer = await promise;
        return memory.judge(triedOf(key), answer);
      });
      running.catch(() => {});
      return running;
    },
    end: async (as: string, answer: () => string = () => as) => {
      ends.get(as)?.(answer);
      await turn();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a refusal is remembered, however many others are accepted meanwhile", async () => {
  const { judge, refusal } = remembering();
  await errorOf(() => judge("u/web", refuse));
  for (let other = 0; other < limitsOf().cacheEntries; other++) judge(`other${other}`);
  expect((await refusal("u/web")).code).toBe("ERR_CREDENTIALS_REJECTED");
});

describe("while a login was never accepted", () => {
  test("its scopes are tried one at a time, and another login's at once", async () => {
    const { begun, run, end } = remembering();
    const first = run("u/a");
    for (const key of ["u/a", "u/b", "v/a"]) run(key, { as: `second ${key}` });
    await turn();
    expect(begun).toEqual(["u/a", "second v/a"]);
    await end("u/a", failWith("ERR_REQUEST_REFUSED"));
    expect((await errorOf(first)).code).toBe("ERR_REQUEST_REFUSED");
    expect(begun.slice(2)).toEqual(["second u/a"]);
    await end("second u/a", failWith("ERR_REQUEST_REFUSED"));
    expect(begun.slice(3)).toEqual(["second u/b"]);
  });

  test("two refused scopes are the answer to all others, who say so", async () => {
    const { begun, run, end } = remembering();
    const all = ["u/a", "u/b", "u/c", "u/d"].map((key) => run(key));
    await end("u/a", refuse);
    await end("u/b", refuse);
    const problems = await Promise.all(all.map(async (one) => (await errorOf(one)).problem));
    const others =
      "No request was sent, as other scopes of this login were refused: 0 s ago (remembered for 10 s), The problem.";
    expect(problems).toEqual(["The problem.", "The problem.", others, others]);
    expect(begun).toEqual(["u/a", "u/b"]);
  });

  test("that answer is for 10 s, and after each further refusal for 60 s", async () => {
    const { clock, judge, refusal, passes } = remembering();
    for (const key of ["u/a", "u/b"]) await errorOf(() => judge(key, refuse));
    clock.now += 9_999;
    expect((await refusal("u/c")).problem).toContain("10 s ago (remembered for 10 s)");
    // Its own refusal is over.
    passes("u/a");
    clock.now += 1;
    passes("u/c");
    await errorOf(() => judge("u/c", refuse));
    clock.now += 59_999;
    expect((await refusal("u/d")).problem).toContain("(remembered for 1 min)");
    clock.now += 1;
    passes("u/d");
  });

  test("one refused scope, however often, is no answer to others", async () => {
    const { judge, passes } = remembering();
    for (const _again of [1, 2, 3]) await errorOf(() => judge("u/a", refuse));
    passes("u/b");
  });

  test.each(["ERR_CONNECTION_FAILED", "ERR_NO_ANSWER", "ERR_RATE_LIMITED", "ERR_SERVICE_FAILED"])(
    "%s fails those who wait as well: they would wait as long again, and then all be sent at once",
    async (code) => {
      const { begun, run, end } = remembering();
      const [first, second] = [run("u/a"), run("u/b")];
      await end("u/a", failWith(code as ErrorCode));
      expect((await errorOf(first)).problem).toBe("The problem.");
      expect(await errorOf(second)).toMatchObject({
        code,
        problem: "No request was sent, as another one with this login failed: The problem.",
      });
      run("u/b");
      expect(begun).toEqual(["u/a", "u/b"]);
    },
  );

  test("an abort ends a wait, and neither the test nor another's wait", async () => {
    const { begun, run, end } = remembering();
    const controller = new AbortController();
    const first = run("u/a");
    const leaving = run("u/b", { signal: controller.signal });
    const staying = run("u/b");
    controller.abort();
    expect((await errorOf(leaving)).code).toBe("ERR_CANCELLED");
    await end("u/a");
    await end("u/b");
    expect(await Promise.all([first, staying])).toEqual(["u/a", "u/b"]);
    expect(begun).toEqual(["u/a", "u/b"]);
  });
});

describe("once a login was accepted", () => {
  test("one request tests each scope, and after it nobody waits", async () => {
    const { begun, judge, run, end } = remembering();
    judge("u/a");
    for (const name of ["1", "2"])
      for (const key of ["u/a", "u/b", "u/c"]) run(key, { as: key + name });
    expect(begun).toEqual(["u/a1", "u/b1", "u/c1", "u/a2"]);
    await end("u/b1");
    expect(begun.slice(4)).toEqual(["u/b2"]);
  });

  test("its refused scopes say nothing of others, and are tested again", async () => {
    const { clock, begun, judge, passes, refusal, run } = remembering();
    for (const key of ["u/a", "u/b", "u/c"]) judge(key);
    for (const key of ["u/a", "u/b"]) await errorOf(() => judge(key, refuse));
    passes("u/c");
    passes("u/d");
    expect((await refusal("u/a")).code).toBe("ERR_CREDENTIALS_REJECTED");
    clock.now += 2_000;
    run("u/a", { as: "first" });
    run("u/a", { as: "second" });
    expect(begun).toEqual(["first"]);
  });
});

describe("a refusal", () => {
  test("is kept for 2 s, the second for 10 s and any other for 60 s, and says its age first", async () => {
    const { clock, judge, refusal, passes } = remembering();
    for (const [keptMs, kept] of [
      [2_000, "2 s"],
      [10_000, "10 s"],
      [60_000, "1 min"],
      [60_000, "1 min"],
    ] as const) {
      await errorOf(() => judge("u/a", refuse));
      expect(await refusal("u/a")).toMatchObject({
        code: "ERR_CREDENTIALS_REJECTED",
        problem: `No request was sent: 0 s ago (remembered for ${kept}), The problem.`,
      });
      clock.now += keptMs - 1;
      expect((await refusal("u/a")).problem).toContain(`: ${kept} ago (`);
      clock.now += 1;
      passes("u/a");
    }
    judge("u/a");
    await errorOf(() => judge("u/a", refuse));
    expect((await refusal("u/a")).problem).toContain("(remembered for 2 s)");
  });

  test("says so in its headline", async () => {
    const { judge, refusal } = remembering();
    const details = { headline: "The service answered 401.", remedy: "Do this." };
    await errorOf(() =>
      judge("u/a", () => {
        throw new IamTokensError("ERR_SECOND_FACTOR_REQUIRED", "The problem.", details);
      }),
    );
    expect(await refusal("u/a")).toMatchObject({
      headline: "No request was sent: The service answered 401.",
      remedy: "Do this.",
    });
  });

  test("does not outlive a clock that was put back", async () => {
    const { clock, judge, passes } = remembering();
    await errorOf(() => judge("u/a", refuse));
    clock.now -= 1;
    passes("u/a");
    clock.now += 1;
    passes("u/a");
  });

  test("is no other error", async () => {
    const { judge, passes } = remembering();
    await errorOf(() => judge("u/a", failWith("ERR_REQUEST_REFUSED")));
    passes("u/a");
  });
});
