import {
  conditional,
  Fn,
  Op,
  propertyAccess,
  TerraformCount,
  TerraformIterator,
  TerraformLocal,
  TerraformOutput,
  type TerraformStack,
  Token,
} from "cdktf";
import { TokenResolution } from "../../../lib";
import { AnyResource, mistakesOf, testStack } from "../support";
import { type Declare, tokenIn } from "./any-token";

test("a token by data is accepted in outputs, arguments and count, and refused where no value can be", () => {
  const stack = testStack();
  const token = tokenIn(stack, TokenResolution.DATA);
  new TerraformOutput(stack, "o", { value: token.value, sensitive: true });
  new AnyResource(
    stack,
    "r",
    { triggers: { t: token.value } },
    { count: TerraformCount.of(Token.asNumber(Fn.lengthOf(token.value))) },
  );
  expect(mistakesOf(stack)).toEqual([]);

  stack.addOverride("terraform.backend.http.password", token.value);
  expect(mistakesOf(stack)).toEqual([expect.stringMatching(/ERR_TOKEN_MISPLACED/)]);
});

describe("a token that may stand in the state is sensitive", () => {
  const mistakes = (declare: Declare): string[] => {
    const stack = testStack();
    declare(stack, tokenIn(stack, TokenResolution.DATA));
    return mistakesOf(stack);
  };
  const output = (stack: TerraformStack, value: unknown, more: object = {}) =>
    void new TerraformOutput(stack, "o", { value, ...more });

  test.each<[string, Declare]>([
    ["as it is", (s, t) => output(s, t.value)],
    ["as a header", (s, t) => output(s, t.headers, { sensitive: false })],
    ["in a structure", (s, t) => output(s, { all: [{ token: t.value }] })],
    [
      "as the JSON of a secret",
      (s, t) => output(s, Fn.base64encode(Fn.jsonencode({ token: t.value, header: t.headerName }))),
    ],
    ["with text around it", (s, t) => output(s, `Bearer ${t.value}`)],
    ["joined", (s, t) => output(s, Fn.join(":", ["x", t.value]))],
    ["compared", (s, t) => output(s, Op.eq(t.value, "x"))],
    ["by its address", (s) => output(s, "${data.iam_token.web.token}")],
  ])("and refused in an output that is not: %s", (_how, declare) => {
    expect(mistakes(declare)).toEqual([
      expect.stringMatching(
        /^\[stack\/web\] The token is sensitive, but is used in an output that is not sensitive: .*sensitive: true.*\[ERR_TOKEN_MISPLACED\]$/,
      ),
    ]);
  });

  test.each<[string, Declare]>([
    [
      "a list",
      (s, t) =>
        void new AnyResource(s, "r", {}, { forEach: TerraformIterator.fromList([t.value]) }),
    ],
    [
      "a key",
      (s, t) =>
        void new AnyResource(
          s,
          "r",
          {},
          { forEach: TerraformIterator.fromMap({ [t.value]: "x" }) },
        ),
    ],
  ])("and refused as what for_each makes addresses of: %s", (_how, declare) => {
    expect(mistakes(declare)).toEqual([
      expect.stringMatching(
        /the keys of for_each, which become addresses: .*fromMap.*\[ERR_TOKEN_MISPLACED\]$/,
      ),
    ]);
  });

  test.each<[string, Declare]>([
    [
      "an output that is sensitive as well",
      (s, t) => output(s, { t: t.headers }, { sensitive: true }),
    ],
    [
      "an output of what is known of it",
      (s, t) => output(s, [t.fingerprint, t.expiresAt, t.headerName]),
    ],
    ["an output that declares it as not secret", (s, t) => output(s, Fn.nonsensitive(t.value))],
    [
      "an output of what a function leaves of it, which may be no secret",
      (s, t) => output(s, Fn.keys(t.headers)),
    ],
    [
      "an output of what a function leaves of it, with a blank before its arguments",
      (s, t) => output(s, `\${keys (${Fn.jsonencode(t.headers)})}`),
    ],
    ["a key of an argument", (s, t) => void new AnyResource(s, "r", { tags: { [t.value]: "x" } })],
    ["an output of one of two", (s, t) => output(s, conditional(true, "x", t.value))],
    [
      "an output of a part",
      (s, t) => output(s, propertyAccess({ print: t.fingerprint, value: t.value }, ["print"])),
    ],
    [
      "an output of what a loop leaves of it",
      (s, t) => output(s, `\${[for k, v in { a = ${t.value} } : k]}`),
    ],
    [
      "an output of a part of a local value, which may be another",
      (s, t) =>
        output(
          s,
          propertyAccess(
            new TerraformLocal(s, "l", { print: t.fingerprint, value: t.value }).expression,
            ["print"],
          ),
        ),
    ],
    [
      "a value of for_each",
      (s, t) =>
        void new AnyResource(s, "r", {}, { forEach: TerraformIterator.fromMap({ a: t.value }) }),
    ],
    [
      "for_each that declares it as not secret",
      (s, t) =>
        void new AnyResource(
          s,
          "r",
          {},
          { forEach: TerraformIterator.fromList([Token.asString(Fn.nonsensitive(t.value))]) },
        ),
    ],
  ])("and accepted in %s", (_how, declare) => expect(mistakes(declare)).toEqual([]));
});
