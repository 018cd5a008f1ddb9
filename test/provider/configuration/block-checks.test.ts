import { checkOfBlock } from "../../../lib/provider/configuration/block-checks";
import { warning } from "../../../lib/provider/configuration/diagnostics";

test.each([
  [1, 3_000, ["x"]],
  [3, 3_000, ["x", "x", "x"]],
  [4, 3_000, ["x", "x", "x", "This block has 1 more mistake"]],
  [12, 10, [...Array<string>(10).fill("x"), "This block has 2 more mistakes"]],
])("of %i mistakes of %i characters, a block has %j", (count, length, summaries) => {
  const mistakes = Array.from({ length: count }, () => warning("x", "d".repeat(length)));
  expect(checkOfBlock(() => mistakes)({}).map(({ summary }) => summary)).toEqual(summaries);
});
