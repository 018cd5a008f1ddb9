import type { CtyObject } from "../../../lib/plugin/cty/value";
import { checkOfBlock } from "../../../lib/provider/configuration/block-checks";
import { warning } from "../../../lib/provider/configuration/diagnostics";

const STRING = "A string of name has 8193 characters.\nAllowed: at most 8192 characters.\n";
const ELEMENTS = "name has 257 elements.\nAllowed: at most 256 elements.\n";

const of = (name: CtyObject[string]) =>
  checkOfBlock(() => [warning("checked", "")])({ other: "", name });

test("a value below the limits is checked", () => {
  for (const value of ["x".repeat(8_192), Array<string>(256).fill(""), null])
    expect(of(value)).toEqual([warning("checked", "")]);
});

test.each<[what: string, value: CtyObject[string], refusal: string]>([
  ["a longer string", "x".repeat(8_193), STRING],
  ["a longer element", ["", "x".repeat(8_193)], STRING],
  ["a longer key", { ["x".repeat(8_193)]: "" }, STRING],
  ["more elements", Array<string>(257).fill(""), ELEMENTS],
])("%s is refused before the check, on no line", (_what, value, refusal) => {
  expect(of(value)).toEqual([
    expect.objectContaining({
      severity: "error",
      detail: `${refusal}Give a shorter value.`,
      path: [],
    }),
  ]);
});

test.each([
  [1, 9_999, ["x"]],
  [2, 4_999, ["x", "x"]],
  [2, 5_000, ["x", "This block has 1 more mistake"]],
  [12, 10, [...Array<string>(10).fill("x"), "This block has 2 more mistakes"]],
])("of %i mistakes of %i characters, a block has %j", (count, length, summaries) => {
  const mistake = { ...warning("x", ""), detail: "d".repeat(length) };
  const found = checkOfBlock(() => Array(count).fill(mistake))({});
  expect(found.map(({ summary }) => summary)).toEqual(summaries);
  const more = {
    severity: "error",
    detail: "Correct the mistakes above, and run again.",
    path: [],
  };
  const last = summaries.at(-1) === "x" ? mistake : expect.objectContaining(more);
  expect(found.at(-1)).toEqual(last);
});
