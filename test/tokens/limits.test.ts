import { assertCount, assertLength } from "../../lib/tokens";

test("a string may be as long as its limit, and is not repeated beyond it", () => {
  expect(() => assertLength("The name", "x".repeat(8_192))).not.toThrow();
  expect(() => assertLength("The name", "x".repeat(8_193))).toThrow(
    expect.objectContaining({
      code: "ERR_TOO_LONG",
      problem: "The name has 8,193 characters.",
      allowed: "at most 8,192 characters",
    }),
  );
});

test("a list may have as many elements as its limit", () => {
  expect(() => assertCount("destinations", 256, 256)).not.toThrow();
  expect(() => assertCount("destinations", 257, 256)).toThrow(
    expect.objectContaining({
      problem: "destinations has 257 elements.",
      allowed: "at most 256 elements",
    }),
  );
});
