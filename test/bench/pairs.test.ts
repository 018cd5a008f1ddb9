import { measure, ratioOf, spreadOf } from "./pairs";

/** Takes these milliseconds, one after the other. */
const taking = (name: string, ran: string[], times: number[]) => ({
  name,
  run: async () => {
    ran.push(name);
    return times.shift() ?? Number.NaN;
  },
});

test("contestants take turns, each of them first in its turn, and the warm-up does not count", async () => {
  const ran: string[] = [];
  const outcomes = await measure(
    [taking("a", ran, [900, 1, 2]), taking("b", ran, [900, 10, 40])],
    2,
    () => ran.length,
  );
  expect(ran.join("")).toBe("abbaab");
  expect(outcomes).toEqual([
    { name: "a", times: [1, 2], requests: 1 },
    { name: "b", times: [10, 40], requests: 1 },
  ]);
});

test("a ratio is taken round by round: a round in which everything was slow does not move it", () => {
  const [ours, floor] = [
    { name: "ours", times: [20, 2_000, 22], requests: 0 },
    { name: "floor", times: [10, 1_000, 11], requests: 0 },
  ];
  expect(ratioOf(ours, floor)).toEqual({ median: 2, lower: 2, upper: 2 });
});

test("a spread is the median and the bounds of the middle half of the values", () => {
  expect(spreadOf([5, 1, 3, 2, 4])).toEqual({ median: 3, lower: 2, upper: 4 });
  expect(spreadOf([1, 2, 3, 4])).toEqual({ median: 2.5, lower: 1.75, upper: 3.25 });
});
