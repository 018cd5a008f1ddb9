import {
  Fn,
  Lazy,
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
  accountToken,
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

describe("an unused token gets an info", () => {
  test("and a used one does not", () => {
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
        /^stack\/unused: Nothing in the stack uses this token, but it is issued .* \[WARN_TOKEN_UNUSED\]$/,
      ),
      expect.stringMatching(
        /^stack\/unused-static: Nothing in the stack uses this token, but it is looked up/,
      ),
    ]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringMatching(/^stack\/m: .*ephemeral = true/),
    ]);
  });

  test("and one that stands only in a comment does", () => {
    const stack = testStack();
    const only = token(stack, "unused");
    stack.addOverride(
      "resource.any.r",
      Lazy.anyValue({ produce: () => ({ "//": `\${${only.value}}` }) }),
    );
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "info")).toEqual([expect.stringContaining("Nothing in the stack")]);
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
    new AnyResource(stack, "replaced", { triggers: { token: shared.value } });
    new TerraformOutput(stack, "whole", { value: shared, sensitive: true });
    new TokenOutputs(stack, "ci", { token: shared });
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringMatching(
        /^stack\/shared: .*in every plan .*every apply changes stack\/user, stack\/replaced\. .*ROTATING.*EPHEMERAL.* \[WARN_TOKEN_CHANGES\]$/,
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

  test("but not where a new value has no effect", () => {
    const stack = testStack();
    const shared = token(stack, "shared", TokenResolution.DATA);
    new AnyResource(
      stack,
      "user",
      {
        argument: shared.authUrl,
        header: "${data.iam_token.shared.header_name}",
        kind: "${data.iam_token.shared.kind}",
      },
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
    new AnyResource(stack, "static-user", { argument: legacy.value });
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
  for (let i = 0; i < 50; i++) accountToken(stack, { identity }, `t${i}`);
  stack.runAllValidations();
  expect(written).toBe(1);
  stack.runAllValidations();
  expect(written).toBe(2);
});

test("sees constructs that are added between two validations", () => {
  const stack = testStack();
  const shared = token(stack, "shared", TokenResolution.DATA);
  new TokenOutputs(stack, "ci", { token: shared });
  expect(mistakesOf(stack)).toEqual([]);
  new TerraformOutput(stack, "ci_value_too", { value: "x" }).overrideLogicalId("ci_value");
  expect(mistakesOf(stack)).toHaveLength(1);
});

test("sees at once a construct that is added before an already validated one", () => {
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

test("checks a stack inside a stack separately", () => {
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
  const printed = token(stack, "shown", TokenResolution.DATA);
  const texts = { type: "local-exec", environment: printed.environment("TOKEN") } as const;
  new AnyResource(
    stack,
    "good",
    {},
    { provisioners: [{ ...texts, command: `curl -H ${printed.headerName}:$TOKEN` }] },
  );
  new AnyResource(
    stack,
    "bad",
    {},
    { provisioners: [{ ...texts, command: `curl -H ${printed.headerName}:${printed.value}` }] },
  );
  new AnyResource(
    stack,
    "headers",
    {},
    { provisioners: [{ ...texts, command: `curl ${Fn.jsonencode(printed.headers)}` }] },
  );
  new AnyResource(
    stack,
    "by-address",
    {},
    { provisioners: [{ ...texts, command: "curl ${data.iam_token.shown.headers}" }] },
  );
  expect(mistakesOf(stack)).toEqual([]);
  const warnings = annotationsOf(stack, "warn").filter((text) => text.includes("every user"));
  expect(warnings).toEqual(
    ["bad", "headers", "by-address"].map((id) =>
      expect.stringMatching(
        new RegExp(
          `^stack/${id}: The provisioner\\.local-exec\\.command .*stack/shown.*environment\\(.*\\[WARN_TOKEN_ON_COMMAND_LINE\\]$`,
        ),
      ),
    ),
  );
});
