import { idleCollector } from "../../../lib/provider/attached/pipeline-provider";

const MB = 1024 * 1024;

test("collects garbage only if nobody waits and memory has grown enough", () => {
  let used = 10 * MB;
  let collected = 0;
  const onIdle = idleCollector(
    () => {
      collected += 1;
      used = 11 * MB;
    },
    () => used,
  );
  onIdle();
  used = 13 * MB;
  onIdle();
  expect(collected).toBe(0);
  used = 14 * MB;
  onIdle();
  onIdle();
  expect(collected).toBe(1);
  used = 15 * MB;
  onIdle();
  expect(collected).toBe(2);
});

test("needs no /proc, which process.memoryUsage() reads", () => {
  const asked = jest.spyOn(process, "memoryUsage").mockImplementation(() => {
    throw new Error("ENOENT");
  });
  expect(() => idleCollector(() => {})()).not.toThrow();
  asked.mockRestore();
});

test("does nothing if Node.js does not expose its collector", () => {
  expect(() => idleCollector(undefined, () => 0)()).not.toThrow();
});
