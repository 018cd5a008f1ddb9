import { costsMarkdown } from "./report";

test("a cost is the median of each round's time above the floor; without a floor there is no row", () => {
  const costs = costsMarkdown([
    {
      title: "plan",
      floor: "none",
      outcomes: [
        { name: "none", times: [50, 60, 40] },
        { name: "ours", times: [223, 260, 200], requests: 1 },
      ],
      costs: [
        ["a plan", "ours"],
        ["a plan that was not measured", "other"],
      ],
    },
  ]);
  expect(costs.split("\n").slice(2)).toEqual(["| a plan | 0.17 s | 1 |"]);
});
