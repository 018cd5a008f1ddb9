import { TerraformStack } from "cdktf";
import { ProductArea, TokenScope, TokenWarnings } from "../../lib";
import { WARNINGS } from "../../lib/constructs/warnings";
import { accountToken, annotationsOf, expectNoMistake, identityIn, testStack } from "./support";

const CODE = "WARN_MAY_MANAGE_UNKNOWN";

/** A stack with two warnings of one code, at two constructs. */
function twoWarnings() {
  const stack = testStack();
  const identity = identityIn(stack);
  const tokens = ["one", "two"].map((id) =>
    accountToken(stack, { identity, scope: TokenScope.project("web") }, id),
  );
  for (const token of tokens) token.assertMayManage(ProductArea.TICKETS);
  return { stack, tokens };
}

const warned = (stack: TerraformStack): (string | undefined)[] => {
  expectNoMistake(stack);
  return annotationsOf(stack, "warn").map((text) => text.split(":", 1)[0]);
};

test.each<[string, (made: ReturnType<typeof twoWarnings>) => void, string[]]>([
  ["nothing", () => {}, ["stack/one", "stack/two"]],
  [
    "a construct",
    ({ tokens: [one] }) => TokenWarnings.of(one ?? fail()).acknowledge(CODE),
    ["stack/two"],
  ],
  ["the stack", ({ stack }) => TokenWarnings.of(stack).acknowledge(CODE), []],
  ["the app", ({ stack }) => TokenWarnings.of(stack.node.root).acknowledge(CODE), []],
  [
    "another code, and another stack",
    ({ stack }) => {
      TokenWarnings.of(stack).acknowledge("WARN_REMOTE_RUNS", "WARN_PLATFORM");
      TokenWarnings.of(new TerraformStack(stack.node.root, "other")).acknowledge(CODE);
    },
    ["stack/one", "stack/two"],
  ],
])("acknowledged for %s", (_what, acknowledge, left) => {
  const made = twoWarnings();
  acknowledge(made);
  expect(warned(made.stack)).toEqual(left);
});

function fail(): never {
  throw new Error("There is no such token.");
}

test("refuses an unknown code", () => {
  const { stack } = twoWarnings();
  expect(() => TokenWarnings.of(stack).acknowledge("WARN_REMOTE_RUN")).toThrow(
    /^\[stack\] TokenWarnings\.acknowledge was given "WARN_REMOTE_RUN"\. Allowed: .*WARN_REMOTE_RUNS.*\[ERR_PROP_INVALID\]$/,
  );
});

test.each(Object.entries(WARNINGS))("%s has a meaning of whole sentences", (code, meaning) => {
  expect(code).toMatch(/^WARN_[A-Z_]+$/);
  expect(meaning).toMatch(/^[A-Z].*\.$/);
});
