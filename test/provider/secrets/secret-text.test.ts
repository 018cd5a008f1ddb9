import { assertHeaderSafe } from "../../../lib/provider/secrets/secret-text";
import { Secret } from "../../../lib/tokens";

const check = (text: string) => () => assertHeaderSafe("env", Secret.of(text));

test.each(["x", "a b", "gAAAAAB-_.~", "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~"])(
  "a header can carry %s",
  (text) => {
    expect(check(text)).not.toThrow();
  },
);

test.each([
  [" x", "white space at its ends"],
  ["x ", "white space at its ends"],
  ["x\n", "white space at its ends"],
  ["a\r\nX-Other: b", "characters that a header cannot carry"],
  ["a\tb", "characters that a header cannot carry"],
  ["é", "characters that a header cannot carry"],
  ["a\u007fb", "characters that a header cannot carry"],
])("a header cannot carry %j", (text, why) => {
  expect(check(text)).toThrow(new RegExp(`^env has? ?.*${why}.*\\[ERR_SECRET_UNUSABLE\\]$`));
});

test("the check ends at once on a large text of spaces", () => {
  const started = process.hrtime.bigint();
  expect(check(`x${" ".repeat(1024 * 1024)}\n`)).toThrow();
  expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(1_000);
});
