import { getEventListeners } from "node:events";
import { RequestQueue } from "../../../lib/identity/cache/request-queue";
import { deferred } from "../support/scripted-transport";
import { errorOf, idle } from "../support/wanted";

test("lets no more run than its limit, the others in turn, and all in the end", async () => {
  const turns = new RequestQueue(3);
  let running = 0;
  let most = 0;
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      turns.take("a", idle(), async () => {
        order.push(index);
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

test("one kind does not hold up another", async () => {
  const turns = new RequestQueue(1);
  const hanging = deferred<void>();
  const first = turns.take("a", idle(), () => hanging.promise);
  expect(await turns.take("b", idle(), async () => "b")).toBe("b");
  hanging.resolve();
  await first;
});

test("a caller that gives up leaves the queue, and the turn goes to the next", async () => {
  const turns = new RequestQueue(1);
  const hanging = deferred<void>();
  const first = turns.take("a", idle(), () => hanging.promise);
  const controller = new AbortController();
  const gone = turns.take("a", controller.signal, async () => "never");
  const next = turns.take("a", idle(), async () => "next");
  controller.abort();
  expect((await errorOf(gone)).code).toBe("ERR_CANCELLED");
  hanging.resolve();
  await first;
  expect(await next).toBe("next");
  expect(await turns.take("a", idle(), async () => "free")).toBe("free");
});

test("a caller with an aborted signal begins nothing", async () => {
  const begun = jest.fn();
  const taken = new RequestQueue(1).take("a", AbortSignal.abort(), async () => begun());
  expect((await errorOf(taken)).code).toBe("ERR_CANCELLED");
  expect(begun).not.toHaveBeenCalled();
});

test("removes the abort listener once it has begun", async () => {
  const signal = idle();
  await new RequestQueue(1).take("a", signal, async () => {
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

test("a failure gives the turn back", async () => {
  const turns = new RequestQueue(1);
  await expect(turns.take("a", idle(), () => Promise.reject(new Error("no")))).rejects.toThrow(
    "no",
  );
  expect(await turns.take("a", idle(), async () => 1)).toBe(1);
});

describe("while one rests because the service demands a wait", () => {
  test("nobody else begins, not even where there is room; those that run go on, and then all get their turn", async () => {
    const turns = new RequestQueue(2);
    const resting = deferred<void>();
    const running = deferred<string>();
    const begun: string[] = [];
    const first = turns.take("a", idle(), async (holdOthers) => {
      await holdOthers(() => resting.promise);
      begun.push("first again");
    });
    const second = turns.take("a", idle(), () => running.promise);
    const later = ["third", "fourth"].map((name) =>
      turns.take("a", idle(), async () => {
        begun.push(name);
      }),
    );
    running.resolve("went on");
    expect(await second).toBe("went on");
    expect(await turns.take("b", idle(), async () => "another kind")).toBe("another kind");
    expect(begun).toEqual([]);
    resting.resolve();
    await Promise.all([first, ...later]);
    expect(begun).toEqual(["first again", "third", "fourth"]);
  });

  test("and when it goes on, others begin where there is room", async () => {
    const turns = new RequestQueue(2);
    const [holding, resting, running] = [deferred<void>(), deferred<void>(), deferred<void>()];
    const first = turns.take("a", idle(), async (holdOthers) => {
      await holdOthers(() => {
        holding.resolve();
        return resting.promise;
      });
      await running.promise;
    });
    await holding.promise;
    const second = turns.take("a", idle(), async () => "second");
    resting.resolve();
    expect(await second).toBe("second");
    running.resolve();
    await first;
  });

  test("neither its own failure nor another's abort blocks the queue for ever", async () => {
    const turns = new RequestQueue(1);
    const controller = new AbortController();
    const failing = turns.take("a", idle(), (holdOthers) =>
      holdOthers(() => Promise.reject(new Error("no"))),
    );
    const gone = turns.take("a", controller.signal, async () => "never");
    const next = turns.take("a", idle(), async () => "next");
    controller.abort();
    await expect(failing).rejects.toThrow("no");
    expect((await errorOf(gone)).code).toBe("ERR_CANCELLED");
    expect(await next).toBe("next");
  });
});
