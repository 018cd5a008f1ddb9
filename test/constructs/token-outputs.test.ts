import { TerraformOutput } from "cdktf";
import { Construct } from "constructs";
import { SecretRef, StaticTokenRef, TokenOutputs, TokenResolution } from "../../lib";
import { accountToken, expectNoMistake, mistakesOf, partOf, testStack } from "./support";

const dataToken = (stack: Construct, id = "t") =>
  accountToken(stack, { resolution: TokenResolution.data() }, id);

test("the outputs are named after the id, also in a nested construct, and the value is sensitive", () => {
  const stack = testStack();
  const token = dataToken(stack);
  new TokenOutputs(new Construct(stack, "nested"), "ci", { token });
  expect(partOf(stack, "output")).toEqual({
    ci_header_name: { description: "Request header for the token.", value: "X-Auth-Token" },
    ci_value: {
      description: "The token.",
      value: "${data.iam_token.t.token}",
      sensitive: true,
    },
    ci_expires_at: {
      description: "When the token expires (RFC 3339); empty if it does not expire.",
      value: "${data.iam_token.t.expires_at}",
    },
  });
  expectNoMistake(stack);
});

test("a static token never expires, which is an empty string", () => {
  const stack = testStack();
  const token = new StaticTokenRef(stack, "t", {
    source: SecretRef.env("T"),
    resolution: TokenResolution.data(),
    allowInState: true,
  });
  new TokenOutputs(stack, "ci", { token, prefix: "api" });
  expect([
    partOf(stack, "output.api_header_name.value"),
    partOf(stack, "output.api_expires_at.value"),
  ]).toEqual(["X-Token", ""]);
});

test("an output name that is taken is refused at both places", () => {
  const stack = testStack();
  const token = dataToken(stack);
  new TokenOutputs(stack, "ci", { token });
  new TokenOutputs(new Construct(stack, "nested"), "ci", { token });
  new TerraformOutput(stack, "api_value", { value: "x" });
  new TokenOutputs(stack, "api", { token });
  const mistakes = mistakesOf(stack);
  expect(mistakes.every((line) => line.endsWith("[ERR_OUTPUT_NAME_TAKEN]"))).toBe(true);
  const names = ["header_name", "value", "expires_at"];
  expect(mistakes.map((line) => line.replace(/^\[(.*?)\] output\.(\w+) .*$/, "$1 $2"))).toEqual([
    ...names.flatMap((name) => [`stack/ci ci_${name}`, `stack/nested/ci ci_${name}`]),
    "stack/api api_value",
  ]);
});
