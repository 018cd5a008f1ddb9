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
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(
      /in a part of the configuration that is evaluated before Terraform knows values: .*\[ERR_TOKEN_MISPLACED\]/,
    ),
  ]);
});

describe("a token that may stand in the state is sensitive", () => {
  const mistakes = (declare: Declare): string[] => {
    const stack = testStack();
    declare(stack, tokenIn(stack, TokenResolution.DATA));
    return mistakesOf(stack);
  };
  const output = (stack: TerraformStack, value: unknown, more: object = {}) =>
    void new TerraformOutput(stack, "o", { value, ...more });

  test.each<{ readonly how: string; readonly declare: Declare }>([
    { how: "as it is", declare: (s, t) => output(s, t.value) },
    { how: "as a header", declare: (s, t) => output(s, t.headers, { sensitive: false }) },
    { how: "in a structure", declare: (s, t) => output(s, { all: [{ token: t.value }] }) },
    {
      how: "as the JSON of a secret",
      declare: (s, t) =>
        output(s, Fn.base64encode(Fn.jsonencode({ token: t.value, header: t.headerName }))),
    },
    { how: "with text around it", declare: (s, t) => output(s, `Bearer ${t.value}`) },
    {
      how: "in functions that keep it",
      declare: (s, t) =>
        output(s, `\${upper(trimspace(tostring(urlencode(yamlencode(${t.value})))))}`),
    },
    { how: "joined", declare: (s, t) => output(s, Fn.join(":", ["x", t.value])) },
    { how: "compared", declare: (s, t) => output(s, Op.eq(t.value, "x")) },
    { how: "by its address", declare: (s) => output(s, "${data.iam_token.web.token}") },
  ])("and refused in an output that is not: $how", ({ declare }) => {
    expect(mistakes(declare)).toEqual([
      expect.stringMatching(
        /^\[stack\/web\] The token is sensitive, but is used in an output that is not sensitive: .*sensitive: true.*\[ERR_TOKEN_MISPLACED\]$/,
      ),
    ]);
  });

  test.each<{ readonly how: string; readonly declare: Declare }>([
    {
      how: "a list",
      declare: (s, t) =>
        void new AnyResource(s, "r", {}, { forEach: TerraformIterator.fromList([t.value]) }),
    },
    {
      how: "a key",
      declare: (s, t) =>
        void new AnyResource(
          s,
          "r",
          {},
          { forEach: TerraformIterator.fromMap({ [t.value]: "x" }) },
        ),
    },
  ])("and refused as what for_each makes addresses of: $how", ({ declare }) => {
    expect(mistakes(declare)).toEqual([
      expect.stringMatching(
        /the keys of for_each, which become addresses: .*fromMap.*\[ERR_TOKEN_MISPLACED\]$/,
      ),
    ]);
  });

  test.each<{ readonly how: string; readonly declare: Declare }>([
    {
      how: "an output that is sensitive as well",
      declare: (s, t) => output(s, { t: t.headers }, { sensitive: true }),
    },
    {
      how: "an output of what is known of it",
      declare: (s, t) => output(s, [t.fingerprint, t.expiresAt, t.headerName]),
    },
    {
      how: "an output that declares it as not secret",
      declare: (s, t) => output(s, Fn.nonsensitive(t.value)),
    },
    {
      how: "an output of what a function leaves of it, which may be no secret",
      declare: (s, t) => output(s, Fn.keys(t.headers)),
    },
    {
      how: "an output of what a function leaves of it, with a blank before its arguments",
      declare: (s, t) => output(s, `\${keys (${Fn.jsonencode(t.headers)})}`),
    },
    {
      how: "a key of an argument",
      declare: (s, t) => void new AnyResource(s, "r", { tags: { [t.value]: "x" } }),
    },
    {
      how: "an output of one of two",
      declare: (s, t) => output(s, conditional(true, "x", t.value)),
    },
    {
      how: "an output of a part",
      declare: (s, t) =>
        output(s, propertyAccess({ print: t.fingerprint, value: t.value }, ["print"])),
    },
    {
      how: "an output of what a loop leaves of it",
      declare: (s, t) => output(s, `\${[for k, v in { a = ${t.value} } : k]}`),
    },
    {
      how: "an output of a part of a local value, which may be another",
      declare: (s, t) =>
        output(
          s,
          propertyAccess(
            new TerraformLocal(s, "l", { print: t.fingerprint, value: t.value }).expression,
            ["print"],
          ),
        ),
    },
    {
      how: "a value of for_each",
      declare: (s, t) =>
        void new AnyResource(s, "r", {}, { forEach: TerraformIterator.fromMap({ a: t.value }) }),
    },
    {
      how: "for_each that declares it as not secret",
      declare: (s, t) =>
        void new AnyResource(
          s,
          "r",
          {},
          { forEach: TerraformIterator.fromList([Token.asString(Fn.nonsensitive(t.value))]) },
        ),
    },
  ])("and accepted in $how", ({ declare }) => expect(mistakes(declare)).toEqual([]));
});
