import { costsMarkdown } from "./report";

test("a cost is the median of each round's time above the floor, and of its ratios", () => {
  const costs = costsMarkdown([
    [
      { name: "a plan", times: [223, 260, 200], requests: 1 },
      { name: "none", times: [50, 60, 40], requests: 0 },
      { name: "hashicorp/http", times: [220, 260, 250], requests: 1 },
    ],
  ]);
  expect(costs.split("\n").slice(2)).toEqual(["| a plan | 0.17 s | 4.46 | 1.00 | 1 |"]);
});
