import { usageErrorOf } from "../../lib/tokens";

test.each([
  ["error: unknown option '--x'", "Unknown option '--x'."],
  ["missing error: prefix", "Missing error: prefix."],
  ["two\n\n  lines \n", "Two lines."],
  ["unknown command 'isue'\n(Did you mean issue?)", "Unknown command 'isue' (Did you mean issue?)"],
  ["it ended.", "It ended."],
  ["who?", "Who?"],
  ["a\u001bb", "A?b."],
])("the parser's message %j is a sentence", (message, problem) => {
  expect(usageErrorOf(message)).toMatchObject({ code: "ERR_USAGE", problem });
});

test("a message that repeats a long argument is cut", () => {
  expect(usageErrorOf("x".repeat(5_000)).problem.length).toBeLessThan(1_100);
});
