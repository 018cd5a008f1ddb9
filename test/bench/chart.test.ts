import { toChart } from "./chart";
import { sectionLines } from "./report";

const SECTION = {
  title: "terraform plan, 1 token",
  outcomes: [
    { name: "no provider", times: [50, 60, 55], requests: 0 },
    { name: "ours <launched>", times: [150, 160, 155], requests: 1 },
  ],
  floor: "no provider",
};

test("a chart has each outcome with its middle, also for who does not see it, and is the same for the same measurement", () => {
  const chart = toChart("How long", "Medians.", [SECTION]);
  expect(chart).toBe(toChart("How long", "Medians.", [SECTION]));
  expect(chart).toContain("ours &lt;launched&gt; 155 ms");
  expect(chart).not.toMatch(/NaN|Infinity|undefined/);
  const widths = [...chart.matchAll(/<rect class="(?:floor|ours)" .*?width="(\d+)"/g)].map(
    ([, width]) => Number(width),
  );
  expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(155 / 55, 1);
});

test("a table tells medians, and ratios to the floor", () => {
  const text = sectionLines(SECTION).join("\n");
  expect(text).toMatch(/no provider +55\.0 ms +52\.5 ms to 57\.5 ms +0$/m);
  expect(text).toMatch(/ours <launched> +155 ms +153 ms to 158 ms +2\.82 \(2\.74-2\.91\) +1$/m);
});
