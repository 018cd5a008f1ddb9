import { assertHeaderSafe } from "../../../lib/provider/secrets/secret-text";
import { Secret } from "../../../lib/tokens";
import { processorTime } from "../../support/processor-time";

const check = (text: string) => () => assertHeaderSafe("env", Secret.of(text));

test.each(["x", "a b", "gAAAAAB-_.~", "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~"])(
  "a header can carry %s",
  (text) => {
    expect(check(text)).not.toThrow();
  },
);

test.each([
  [" x", "starts or ends with white space"],
  ["x ", "starts or ends with white space"],
  ["x\n", "starts or ends with white space"],
  ["a\r\nX-Other: b", "characters that a header cannot carry"],
  ["a\tb", "characters that a header cannot carry"],
  ["é", "characters that a header cannot carry"],
  ["a\u007fb", "characters that a header cannot carry"],
])("a header cannot carry %j", (text, why) => {
  expect(check(text)).toThrow(
    new RegExp(
      `^env .*${why}\\. Allowed: printable ASCII without leading or trailing spaces\\. .*\\[ERR_SECRET_UNUSABLE\\]$`,
    ),
  );
});

test("the check ends at once for a long string of spaces", async () => {
  const spaces = `x${" ".repeat(1024 * 1024)}\n`;
  expect(await processorTime(() => expect(check(spaces)).toThrow())).toBeLessThan(1_000);
});
