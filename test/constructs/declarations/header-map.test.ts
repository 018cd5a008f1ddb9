import { Fn, TerraformOutput, TerraformProvider, type TerraformStack, Testing } from "cdktf";
import { headerMap } from "../../../lib/constructs/declarations/header-map";
import { testStack } from "../support";

class SomeProvider extends TerraformProvider {
  constructor(
    scope: TerraformStack,
    private readonly attributes: { [name: string]: unknown },
  ) {
    super(scope, "some", {
      terraformResourceType: "some",
      terraformProviderSource: "example/some",
    });
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return this.attributes;
  }
}

function synthesize(build: (stack: TerraformStack) => void) {
  const stack = testStack("main");
  build(stack);
  return JSON.parse(Testing.synth(stack));
}

test("a program sees a map with only the header, which can be spread", () => {
  const headers = headerMap("X-Auth-Token", "value");
  expect(Object.entries(headers)).toEqual([["X-Auth-Token", "value"]]);
  expect({ ...headers, Accept: "text/plain" }).toStrictEqual({
    "X-Auth-Token": "value",
    Accept: "text/plain",
  });
  expect(JSON.stringify(headers)).toBe('{"X-Auth-Token":"value"}');
});

test("the header's name survives a provider's block, where cdktf changes the keys of plain maps", () => {
  const { provider } = synthesize((stack) => {
    new SomeProvider(stack, {
      headers: headerMap("X-Auth-Token", "value"),
      plain: { "X-Auth-Token": "value" },
    });
  });
  expect(provider.some[0].headers).toEqual({ "X-Auth-Token": "value" });
  // The reason for all this. When cdktf no longer does it, this map can be a plain one.
  expect(Object.keys(provider.some[0].plain)).not.toEqual(["X-Auth-Token"]);
});

test("it can stand in an expression", () => {
  const { output } = synthesize((stack) => {
    new TerraformOutput(stack, "merged", {
      value: Fn.merge([headerMap("X-Token", "value"), { Accept: "text/plain" }]),
      staticId: true,
    });
  });
  expect(output.merged.value).toMatch(
    /^\$\{merge\(\{"X-Token" = "?value"?\}, \{"Accept" = "text\/plain"\}\)\}$/,
  );
});
