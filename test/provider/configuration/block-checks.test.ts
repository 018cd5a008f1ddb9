import type { CtyObject } from "../../../lib/plugin/cty/value";
import { checkOfBlock } from "../../../lib/provider/configuration/block-checks";
import { warning } from "../../../lib/provider/configuration/diagnostics";

const STRING = "Allowed: at most 8192 characters.\n";
const ELEMENTS = "Allowed: at most 256 elements.\n";

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

test("a block reports ten mistakes", () => {
  expect(checkOfBlock(() => Array(12).fill(warning("x", "")))({})).toHaveLength(10);
});
