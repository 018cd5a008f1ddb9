import { idleCollector } from "../../../lib/provider/attached/pipeline-provider";

const MB = 1024 * 1024;

test("collects when nobody waits and enough has come together, and not otherwise", () => {
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

test("does nothing where Node.js does not hand its collector out", () => {
  expect(() => idleCollector(undefined, () => 0)()).not.toThrow();
});
