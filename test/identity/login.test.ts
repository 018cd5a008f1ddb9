import { limitsOf } from "../../lib/identity/limits";
import { Logins } from "../../lib/identity/login";
import { type ErrorCode, IamTokensError } from "../../lib/tokens";
import { deferred, errorOf, idle, NOW } from "./support/wanted";

const failWith = (code: ErrorCode) => () => {
  throw new IamTokensError(code, "The problem.");
};
const refuse = failWith("ERR_CREDENTIALS_REJECTED");

/**
 * A memory with its clock, and requests that end on command. Of "u:p/web", the login is "u:p", and
 * the user is "u".
 */
function remembering() {
  const clock = { now: NOW };
  const memory = new Logins(limitsOf(), () => clock.now);
  const begun: string[] = [];
  const ends = new Map<string, (end: () => string) => void>();
  const triedOf = (key: string) => {
    const [login = ""] = key.split("/");
    // Not the same string as the login: it is another level.
    return { key, login, user: `user ${login.split(":")[0]}` };
  };
  return {
    clock,
    memory,
    begun,
    /** Judges an answer to a key. */
    answered: (key: string, answer: () => string = () => "yes") =>
      memory.remember(triedOf(key), answer),
    refusal: (key: string) => errorOf(() => memory.assertNotRefused(triedOf(key))),
    passes: (key: string) => memory.assertNotRefused(triedOf(key)),
    run: (key: string, { as = key, signal = idle() } = {}) => {
      const running = memory.run(triedOf(key), signal, async () => {
        begun.push(as);
        const { promise, resolve } = deferred<() => string>();
        ends.set(as, resolve);
        const answer = await promise;
        return memory.remember(triedOf(key), answer);
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
  const { answered, refusal } = remembering();
  await errorOf(() => answered("u/web", refuse));
  for (let other = 0; other < limitsOf().cacheEntries; other++) answered(`other${other}`);
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
    const { clock, answered, refusal, passes } = remembering();
    for (const key of ["u/a", "u/b"]) await errorOf(() => answered(key, refuse));
    clock.now += 9_999;
    expect((await refusal("u/c")).problem).toContain("10 s ago (remembered for 10 s)");
    // Its own refusal is over.
    passes("u/a");
    clock.now += 1;
    passes("u/c");
    await errorOf(() => answered("u/c", refuse));
    clock.now += 59_999;
    expect((await refusal("u/d")).problem).toContain("(remembered for 1 min)");
    clock.now += 1;
    passes("u/d");
  });

  test("one refused scope, however often, is no answer to others", async () => {
    const { answered, passes } = remembering();
    for (const _again of [1, 2, 3]) await errorOf(() => answered("u/a", refuse));
    passes("u/b");
  });

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
    const { begun, answered, run, end } = remembering();
    answered("u/a");
    for (const name of ["1", "2"])
      for (const key of ["u/a", "u/b", "u/c"]) run(key, { as: key + name });
    expect(begun).toEqual(["u/a1", "u/b1", "u/c1", "u/a2"]);
    await end("u/b1");
    expect(begun.slice(4)).toEqual(["u/b2"]);
  });

  test("new scopes that are refused say nothing of others", async () => {
    const { answered, passes, refusal } = remembering();
    answered("u/a");
    for (const key of ["u/b", "u/c"]) await errorOf(() => answered(key, refuse));
    for (const key of ["u/a", "u/d"]) passes(key);
    expect((await refusal("u/b")).code).toBe("ERR_CREDENTIALS_REJECTED");
  });

  test("a scope that was accepted and is refused has it tested again, one at a time", async () => {
    const { begun, answered, run, end } = remembering();
    for (const key of ["u/a", "u/b", "u/c"]) answered(key);
    await errorOf(() => answered("u/a", refuse));
    for (const key of ["u/b", "u/c"]) run(key);
    expect(begun).toEqual(["u/b"]);
    await end("u/b");
    expect(begun.slice(1)).toEqual(["u/c"]);
  });

  test("two of them are the answer to all others, until one is accepted", async () => {
    const { clock, begun, answered, passes, refusal, run, end } = remembering();
    for (const key of ["u/a", "u/b", "u/c"]) answered(key);
    for (const key of ["u/a", "u/b"]) await errorOf(() => answered(key, refuse));
    for (const key of ["u/c", "u/d"])
      expect((await refusal(key)).problem).toContain("as other scopes of this login were refused");
    clock.now += 10_000;
    run("u/c");
    run("u/d");
    expect(begun).toEqual(["u/c"]);
    await end("u/c");
    expect(begun.slice(1)).toEqual(["u/d"]);
    passes("u/d");
  });
});

describe("of one user, other secrets", () => {
  test("are tried one at a time while none was accepted", async () => {
    const { begun, run, end } = remembering();
    for (const key of ["u:1/a", "u:2/a", "v:1/a"]) run(key);
    expect(begun).toEqual(["u:1/a", "v:1/a"]);
    await end("u:1/a", refuse);
    expect(begun.slice(2)).toEqual(["u:2/a"]);
  });

  test("of which two were refused answer for a hundred, who say so", async () => {
    const { clock, answered, refusal, passes } = remembering();
    for (const key of ["u:1/a", "u:2/a"]) await errorOf(() => answered(key, refuse));
    for (let other = 3; other < 100; other++)
      expect((await refusal(`u:${other}/a`)).problem).toBe(
        "No request was sent, as other secrets of this user were refused: 0 s ago (remembered for 10 s), The problem.",
      );
    passes("v:1/a");
    clock.now += 10_000;
    await errorOf(() => answered("u:3/a", refuse));
    clock.now += 59_999;
    expect((await refusal("u:4/a")).problem).toContain("(remembered for 1 min)");
    clock.now += 1;
    passes("u:4/a");
  });

  test("are not refused by two scopes of one secret", async () => {
    const { answered, passes } = remembering();
    for (const key of ["u:1/a", "u:1/b"]) await errorOf(() => answered(key, refuse));
    passes("u:2/a");
  });

  test("are no answer to a secret that was accepted, which ends their count", async () => {
    const { answered, passes, refusal } = remembering();
    answered("u:right/a");
    for (const key of ["u:1/a", "u:2/a"]) await errorOf(() => answered(key, refuse));
    passes("u:right/b");
    expect((await refusal("u:3/a")).code).toBe("ERR_CREDENTIALS_REJECTED");
    answered("u:right/a");
    passes("u:3/a");
  });
});

describe("a refusal", () => {
  test("is kept for 2 s, the second for 10 s and any other for 60 s, and says its age first", async () => {
    const { clock, answered, refusal, passes } = remembering();
    for (const [keptMs, kept] of [
      [2_000, "2 s"],
      [10_000, "10 s"],
      [60_000, "1 min"],
      [60_000, "1 min"],
    ] as const) {
      await errorOf(() => answered("u/a", refuse));
      expect(await refusal("u/a")).toMatchObject({
        code: "ERR_CREDENTIALS_REJECTED",
        problem: `No request was sent: 0 s ago (remembered for ${kept}), The problem.`,
      });
      clock.now += keptMs - 1;
      expect((await refusal("u/a")).problem).toContain(`: ${kept} ago (`);
      clock.now += 1;
      passes("u/a");
    }
    answered("u/a");
    await errorOf(() => answered("u/a", refuse));
    expect((await refusal("u/a")).problem).toContain("(remembered for 2 s)");
  });

  test("says so in its headline", async () => {
    const { answered, refusal } = remembering();
    const details = { headline: "The service answered 401.", remedy: "Do this." };
    await errorOf(() =>
      answered("u/a", () => {
        throw new IamTokensError("ERR_SECOND_FACTOR_REQUIRED", "The problem.", details);
      }),
    );
    expect(await refusal("u/a")).toMatchObject({
      headline: "No request was sent: The service answered 401.",
      remedy: "Do this.",
    });
  });

  test("is no other error", async () => {
    const { answered, passes } = remembering();
    await errorOf(() => answered("u/a", failWith("ERR_REQUEST_REFUSED")));
    passes("u/a");
  });
});
