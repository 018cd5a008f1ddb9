import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { ProductArea, TokenScope, TokenWarnings } from "../../lib";
import { namesOf, WARNINGS } from "../../lib/constructs/warnings";
import { accountToken, annotationsOf, expectNoMistake, identityIn, testStack } from "./support";

const CODE = "WARN_MAY_MANAGE_UNKNOWN";

/** A stack with two warnings of one code, at two constructs. */
function twoWarnings() {
  const stack = testStack();
  const identity = identityIn(stack);
  for (const id of ["one", "two"])
    accountToken(stack, { identity, scope: TokenScope.project("web") }, id).assertMayManage(
      ProductArea.TICKETS,
    );
  return stack;
}

test.each<[string, (stack: TerraformStack) => IConstruct, codes: string[], left: string[]]>([
  ["a construct", (stack) => stack.node.findChild("one"), [CODE], ["stack/two"]],
  ["the stack", (stack) => stack, [CODE, "WARN_LOCK_FILE_UNREADABLE"], []],
  ["the app", (stack) => stack.node.root, [CODE], []],
  [
    "other codes",
    (stack) => stack,
    ["WARN_REMOTE_RUNS", "WARN_LOCK_FILE_UNREADABLE"],
    ["stack/one", "stack/two"],
  ],
  [
    "another stack",
    (stack) => new TerraformStack(stack.node.root, "other"),
    [CODE],
    ["stack/one", "stack/two"],
  ],
])("acknowledged for %s", (_what, scopeOf, codes, left) => {
  const stack = twoWarnings();
  const warnings = TokenWarnings.of(scopeOf(stack));
  for (const code of codes) warnings.acknowledge(code);
  expectNoMistake(stack);
  expect(annotationsOf(stack).map((text) => text.split(":", 1)[0])).toEqual(left);
});

test("refuses an unknown code", () => {
  expect(() => TokenWarnings.of(testStack()).acknowledge("WARN_REMOTE_RUN")).toThrow(
    /^\[stack\] The argument of acknowledge is "WARN_REMOTE_RUN"\. Allowed: WARN_\w+, .*WARN_REMOTE_RUNS.*\[ERR_PROP_INVALID\]$/,
  );
});

test.each([
  ["a", ["a", "a"]],
  ["a, b, c, d, e", ["a", "b", "c", "d", "e", "a"]],
  ["a, b, c, d, e and 1 more", ["a", "b", "c", "d", "e", "f"]],
])("a message names %s of %j", (named, all) => {
  expect(namesOf(all)).toBe(named);
});

test.each(Object.entries(WARNINGS))("%s has a meaning of whole sentences", (code, meaning) => {
  expect(code).toMatch(/^WARN_[A-Z_]+$/);
  expect(meaning).toMatch(/^[A-Z].*\.$/);
});
