import {
  Fn,
  TerraformHclModule,
  TerraformLocal,
  TerraformOutput,
  TerraformStack,
  Testing,
} from "cdktf";
import { Construct } from "constructs";
import {
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../../lib";
import {
  AnyProvider,
  AnyResource,
  annotationsOf,
  identityIn,
  mistakesOf,
  testStack,
} from "../support";

const token = (stack: Construct, id: string, resolution = TokenResolution.EPHEMERAL) =>
  new ServiceUserToken(stack, id, {
    identity: identityIn(stack, `identity-of-${id}`),
    scope: TokenScope.account(),
    resolution,
  });

describe("a token that nothing uses gets an info", () => {
  test("and only such a one", () => {
    const stack = testStack();
    token(stack, "unused");
    new StaticTokenRef(stack, "unused-static", { source: SecretRef.env("T") });
    new AnyProvider(stack, { nested: [{ token: `Bearer ${token(stack, "by-provider").value}` }] });
    new AnyResource(
      stack,
      "r",
      {},
      {
        dependsOn: [token(stack, "by-dependency")],
        provisioners: [
          {
            type: "local-exec",
            command: "x",
            environment: { TOKEN: token(stack, "by-provisioner").value },
          },
        ],
      },
    );
    new TerraformHclModule(stack, "m", {
      source: "x",
      variables: { token: Fn.sensitive(token(stack, "by-module").value) },
    });
    new TerraformLocal(stack, "l", token(stack, "by-local").headers);
    stack.addOverride("provider.other", [{ token: token(stack, "by-override").value }]);
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "info")).toEqual([
      expect.stringMatching(
        /^stack\/unused: Nothing in the stack uses this token, yet it is issued/,
      ),
      expect.stringMatching(
        /^stack\/unused-static: Nothing in the stack uses this token, yet it is looked up/,
      ),
    ]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringMatching(/^stack\/m: .*ephemeral = true/),
    ]);
  });

  test("once, however often the stack is validated", () => {
    const stack = testStack();
    token(stack, "unused");
    for (let pass = 0; pass < 3; pass++) Testing.synth(stack, true);
    expect(annotationsOf(stack, "info")).toHaveLength(1);
  });
});

describe("a data token in a planned value gets a warning", () => {
  test("that names the users", () => {
    const stack = testStack();
    const shared = token(stack, "shared", TokenResolution.DATA);
    new AnyResource(stack, "user", { argument: { nested: [shared.value] } });
    new TerraformOutput(stack, "whole", { value: shared, sensitive: true });
    new TokenOutputs(stack, "ci", { token: shared });
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringMatching(
        /^stack\/shared: .*at every plan.*every apply changes stack\/user\. .*ROTATING.*EPHEMERAL/,
      ),
    ]);
  });

  test("but not for outputs, where a new value does no harm", () => {
    const stack = testStack();
    const shared = token(stack, "shared", TokenResolution.DATA);
    new TerraformOutput(stack, "whole", { value: shared, sensitive: true });
    new TokenOutputs(stack, "ci", { token: shared });
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([]);
  });

  test("but not where a new value changes nothing", () => {
    const stack = testStack();
    const shared = token(stack, "shared", TokenResolution.DATA);
    new AnyResource(
      stack,
      "user",
      { argument: shared.authUrl },
      {
        dependsOn: [shared],
        provisioners: [{ type: "local-exec", command: "x", environment: { TOKEN: shared.value } }],
      },
    );
    new AnyProvider(stack, { token: shared.value });
    new TerraformOutput(stack, "name", { value: shared.headerName });
    const legacy = new StaticTokenRef(stack, "static", {
      source: SecretRef.env("T"),
      resolution: TokenResolution.DATA,
      acceptStaticTokenInState: true,
    });
    new TerraformOutput(stack, "static-value", { value: legacy.value, sensitive: true });
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([]);
  });

  test("with no more than five names", () => {
    const stack = testStack();
    const shared = token(stack, "shared", TokenResolution.DATA);
    for (let i = 0; i < 8; i++) new AnyResource(stack, `user-${i}`, { argument: shared.value });
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn").join()).toMatch(/user-4 and 3 more\./);
  });
});

test("the stack is walked once for a pass, and not once for each token", () => {
  const stack = testStack();
  const identity = identityIn(stack);
  let written = 0;
  class Counting extends AnyResource {
    override toTerraform() {
      written++;
      return super.toTerraform();
    }
  }
  new Counting(stack, "counting", {});
  for (let i = 0; i < 50; i++)
    new ServiceUserToken(stack, `t${i}`, { identity, scope: TokenScope.account() });
  stack.runAllValidations();
  expect(written).toBe(1);
  stack.runAllValidations();
  expect(written).toBe(2);
});

test("what is added between two validations is seen", () => {
  const stack = testStack();
  const shared = token(stack, "shared", TokenResolution.DATA);
  new TokenOutputs(stack, "ci", { token: shared });
  expect(mistakesOf(stack)).toEqual([]);
  new TerraformOutput(stack, "ci_value_too", { value: "x" }).overrideLogicalId("ci_value");
  expect(mistakesOf(stack)).toHaveLength(1);
});

test("what is added in front of what was validated already is seen at once", () => {
  const stack = testStack();
  const nested = new Construct(stack, "nested");
  const shared = token(stack, "shared", TokenResolution.DATA);
  new TokenOutputs(stack, "ci", { token: shared });
  expect(mistakesOf(stack)).toEqual([]);
  new TokenOutputs(nested, "ci", { token: shared });
  expect(mistakesOf(stack).filter((line) => line.startsWith("[stack/nested/ci]"))).toHaveLength(3);
});

test("a stack inside a stack has output names of its own", () => {
  const outer = testStack("outer");
  const inner = new TerraformStack(outer, "inner");
  for (const stack of [outer, inner])
    new TokenOutputs(stack, "ci", { token: token(stack, "t", TokenResolution.DATA) });
  expect(mistakesOf(outer)).toEqual([]);
  expect(mistakesOf(inner)).toEqual([]);
});

test("a stack inside a stack is looked at by itself", () => {
  const outer = testStack("outer");
  const inner = new TerraformStack(outer, "inner");
  new AnyProvider(outer, { token: token(outer, "t").value });
  token(inner, "t");
  Testing.synth(outer, true);
  Testing.synth(inner, true);
  expect(annotationsOf(outer, "info")).toEqual([expect.stringMatching(/^outer\/inner\/t: /)]);
});

test("a token in the text of a command, which others can see while it runs", () => {
  const stack = testStack();
  const shown = token(stack, "shown", TokenResolution.DATA);
  const texts = { type: "local-exec", environment: shown.environment("TOKEN") } as const;
  new AnyResource(
    stack,
    "good",
    {},
    { provisioners: [{ ...texts, command: `curl -H ${shown.headerName}:$TOKEN` }] },
  );
  new AnyResource(
    stack,
    "bad",
    {},
    { provisioners: [{ ...texts, command: `curl -H ${shown.headerName}:${shown.value}` }] },
  );
  expect(mistakesOf(stack)).toEqual([]);
  const warnings = annotationsOf(stack, "warn").filter((text) => text.includes("every user"));
  expect(warnings).toEqual([
    expect.stringMatching(
      /^stack\/bad: The provisioner\.local-exec\.command .*stack\/shown.*environment\(/,
    ),
  ]);
});
