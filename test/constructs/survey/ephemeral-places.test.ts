import {
  Aspects,
  conditional,
  Fn,
  type IAspect,
  Lazy,
  listMapper,
  TerraformCount,
  TerraformHclModule,
  TerraformIterator,
  TerraformLocal,
  TerraformOutput,
  TerraformStack,
  TerraformVariable,
  Token,
} from "cdktf";
import type { IConstruct } from "constructs";
import { SecretRef, ServiceUserToken, StaticTokenRef, TokenResolution } from "../../../lib";
import {
  AnyProvider,
  AnyResource,
  annotationsOf,
  mistakesOf,
  testApp,
  testStack,
} from "../support";
import { AnyData, AnyPart, type Declare, tokenIn } from "./any-token";

const REFUSED: readonly {
  readonly name: string;
  readonly code: string;
  readonly where: RegExp;
  readonly declare: Declare;
}[] = [
  {
    name: "an output",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) => new TerraformOutput(s, "o", { value: t.value, sensitive: true }),
  },
  {
    name: "an output of the fingerprint",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) => new TerraformOutput(s, "o", { value: t.fingerprint }),
  },
  {
    name: "an output of the whole token",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) => new TerraformOutput(s, "o", { value: t }),
  },
  {
    name: "an argument of a data source",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /stack\/d \(q\.h\)/,
    declare: (s, t) => new AnyData(s, "d", { q: [{ h: t.value }] }),
  },
  {
    name: "triggers",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /an argument that is stored in the state: stack\/r \(triggers\.t\)/,
    declare: (s, t) => new AnyResource(s, "r", { triggers: { t: t.value } }),
  },
  {
    name: "triggers_replace",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /triggers_replace/,
    declare: (s, t) => new AnyResource(s, "r", { triggers_replace: t.value }),
  },
  {
    name: "count",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /used in count: stack\/r/,
    declare: (s, t) =>
      new AnyResource(
        s,
        "r",
        {},
        { count: TerraformCount.of(Token.asNumber(Fn.lengthOf(t.value))) },
      ),
  },
  {
    name: "for_each",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /used in for_each: stack\/r/,
    declare: (s, t) =>
      new AnyResource(s, "r", {}, { forEach: TerraformIterator.fromList([t.value]) }),
  },
  {
    name: "a dynamic block",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /a dynamic block's for_each: stack\/r \(setting\.for_each\)/,
    declare: (s, t) =>
      new AnyResource(s, "r", {
        setting: listMapper(
          (content) => content,
          true,
        )(TerraformIterator.fromList([t.value]).dynamic({ name: "x" })),
      }),
  },
  {
    name: "a dynamic block inside another",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /a dynamic block's for_each: stack\/r \(outer\.inner\.for_each\)/,
    declare: (s, t) =>
      new AnyResource(s, "r", {}).addOverride("dynamic", [
        {
          outer: [
            {
              for_each: [1],
              content: [{ dynamic: [{ inner: [{ for_each: [t.value], content: {} }] }] }],
            },
          ],
        },
      ]),
  },
  {
    name: "what a failing condition of an output prints",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /error message.*stack\/o/,
    declare: (s, t) =>
      new TerraformOutput(s, "o", { value: 1 }).addOverride("precondition", [
        { condition: true, error_message: t.value },
      ]),
  },
  {
    name: "what a failing validation of a variable prints",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /error message.*stack\/v/,
    declare: (s, t) =>
      new TerraformVariable(s, "v", {
        validation: [{ condition: true, errorMessage: `no ${t.value}` }],
      }),
  },
  {
    name: "what a failing check prints",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /error message/,
    declare: (s, t) =>
      s.addOverride("check.c.assert", [{ condition: true, error_message: t.value }]),
  },
  {
    name: "a check's data source",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /argument of a data source/,
    declare: (s, t) => s.addOverride("check.c.data.http.x.url", t.value),
  },
  {
    name: "an import's id, which Terraform prints",
    code: "ERR_TOKEN_MISPLACED",
    where: /the id of an import.*\(id\)/,
    declare: (s, t) => s.addOverride("import", [{ to: "any_thing.r", id: t.value }]),
  },
  {
    name: "an output, next to an argument of ephemeralasnull",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) =>
      new TerraformOutput(s, "o", { value: `\${ephemeralasnull(upper(${t.value}))}${t.value}` }),
  },
  {
    name: "an output, next to ephemeralasnull of something else, through a local value",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /through the local value one/,
    declare: (s, t) => {
      new TerraformLocal(s, "one", t.value);
      new TerraformOutput(s, "o", { value: "${ephemeralasnull(var.x)}${local.one}" });
    },
  },
  {
    name: "what a failing condition prints",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /error message/,
    declare: (s, t) =>
      new AnyResource(
        s,
        "r",
        {},
        { lifecycle: { precondition: [{ condition: "${true}", errorMessage: `no ${t.value}` }] } },
      ),
  },
  {
    name: "an output, in a function",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) => new TerraformOutput(s, "o", { value: Fn.nonsensitive(t.value) }),
  },
  {
    name: "an output, in a string",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) => new TerraformOutput(s, "o", { value: `Bearer ${t.value}` }),
  },
  {
    name: "an output, in a condition",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) => new TerraformOutput(s, "o", { value: conditional(true, t.value, "") }),
  },
  {
    name: "an output, lazily",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) =>
      new TerraformOutput(s, "o", {
        value: Lazy.anyValue({ produce: () => ({ deep: [t.value] }) }),
      }),
  },
  {
    name: "an output, as a header",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s, t) => new TerraformOutput(s, "o", { value: t.headers }),
  },
  {
    name: "an output, through local values",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o \(value\), through the local value two/,
    declare: (s, t) => {
      const one = new TerraformLocal(s, "one", { token: t.value });
      const two = new TerraformLocal(s, "two", `Bearer ${one.asString}`);
      new TerraformOutput(s, "o", { value: two.asString });
    },
  },
  {
    name: "count, through a local value that is written by hand",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /used in count: stack\/r, through the local value one/,
    declare: (s, t) => {
      new TerraformLocal(s, "one", t.value);
      new AnyResource(s, "r", {}).addOverride("count", "${length(local.one)}");
    },
  },
  {
    name: "an override of an element",
    code: "ERR_EPHEMERAL_MISPLACED",
    where: /stack\/r \(triggers\.x\)/,
    declare: (s, t) => new AnyResource(s, "r", {}).addOverride("triggers.x", t.value),
  },
  {
    name: "an override of the stack",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /: stack \(value\)/,
    declare: (s, t) => s.addOverride("output.o.value", t.value),
  },
  {
    name: "an address that is written by hand",
    code: "ERR_EPHEMERAL_OUTPUT",
    where: /stack\/o/,
    declare: (s) => new TerraformOutput(s, "o", { value: "${ephemeral.iam_token.web.token}" }),
  },
  {
    name: "replace_triggered_by",
    code: "ERR_TOKEN_MISPLACED",
    where: /used in replace_triggered_by: stack\/r/,
    declare: (s, t) =>
      new AnyResource(s, "r", {}, { lifecycle: { replaceTriggeredBy: [t.value] } }),
  },
  {
    name: "a backend",
    code: "ERR_TOKEN_MISPLACED",
    where: /stack \(backend\.http\.password\)/,
    declare: (s, t) => s.addOverride("terraform.backend.http.password", t.value),
  },
  {
    name: "a variable's default",
    code: "ERR_TOKEN_MISPLACED",
    where: /stack\/v/,
    declare: (s, t) => new TerraformVariable(s, "v", { default: t.value }),
  },
  {
    name: "a moved block",
    code: "ERR_TOKEN_MISPLACED",
    where: /stack\/p/,
    declare: (s, t) => new AnyPart(s, "p", { moved: [{ from: t.value, to: "x.y" }] }),
  },
  {
    name: "a moved block, by its address",
    code: "ERR_TOKEN_MISPLACED",
    where: /a moved or removed block: stack \(moved\.to\)\. .* as a string, without/,
    declare: (s, t) => s.addOverride("moved", [{ from: "iam_token.old", to: t.fqn }]),
  },
  {
    name: "a module's source",
    code: "ERR_TOKEN_MISPLACED",
    where: /stack\/m/,
    declare: (s, t) =>
      new TerraformHclModule(s, "m", { source: `git::https://${t.value}@example.com/x` }),
  },
];

describe("an ephemeral token is refused in", () => {
  test.each(REFUSED)("$name", ({ code, where, declare }) => {
    const stack = testStack();
    declare(stack, tokenIn(stack));

    const mistakes = mistakesOf(stack);

    expect(mistakes).toEqual([
      expect.stringMatching(new RegExp(`^\\[stack/web\\] .*\\[${code}\\]$`)),
    ]);
    expect(mistakes[0]).toMatch(where);
    expect(mistakes[0]).toMatch(
      code === "ERR_TOKEN_MISPLACED"
        ? /Remove it there/
        : /Allowed: provider blocks, write-only arguments, .*TokenResolution\.DATA/,
    );
  });

  test("a place that an aspect adds", () => {
    class AddsOutput implements IAspect {
      visit(node: IConstruct): void {
        if (node instanceof ServiceUserToken && node.node.tryFindChild("o") === undefined) {
          new TerraformOutput(node, "o", { value: node.value, sensitive: true });
        }
      }
    }
    const app = testApp();
    const stack = new TerraformStack(app, "stack");
    tokenIn(stack);
    Aspects.of(stack).add(new AddsOutput());

    expect(() => app.synth()).toThrow(/\[stack\/web\] .*stack\/web\/o.*ERR_EPHEMERAL_OUTPUT/);
  });

  test("many places at once: one mistake a kind, and not all of a long list", () => {
    const stack = testStack();
    const token = tokenIn(stack);
    for (let index = 0; index < 8; index++)
      new TerraformOutput(stack, `o${index}`, { value: token.value });
    new AnyResource(stack, "r", { triggers: { t: token.value } });

    expect(mistakesOf(stack)).toEqual([
      expect.stringMatching(/stack\/o0 .* and 3 more.*ERR_EPHEMERAL_OUTPUT/),
      expect.stringMatching(/stack\/r .*ERR_EPHEMERAL_MISPLACED/),
    ]);
  });
});

const ACCEPTED: readonly { readonly name: string; readonly declare: Declare }[] = [
  {
    name: "a provider's block",
    declare: (s, t) => new AnyProvider(s, { nested: [{ token: t.value }], headers: t.headers }),
  },
  {
    name: "a local value that nothing uses",
    declare: (s, t) => new TerraformLocal(s, "l", t.value),
  },
  {
    name: "a provider's block, through a local value",
    declare: (s, t) => new AnyProvider(s, { token: new TerraformLocal(s, "l", t.value).asString }),
  },
  {
    name: "a write-only argument",
    declare: (s, t) => new AnyResource(s, "r", { secret_wo: t.value, secret_wo_version: 1 }),
  },
  {
    name: "a write-only argument of a nested block",
    declare: (s, t) => new AnyResource(s, "r", { box: [{ secret_wo: t.value }] }),
  },
  {
    name: "an argument below a write-only one",
    declare: (s, t) => new AnyResource(s, "r", { data_wo: { inner: t.value } }),
  },
  {
    name: "a write-only argument of a dynamic block",
    declare: (s, t) =>
      new AnyResource(s, "r", {
        setting: listMapper(
          (content) => content,
          true,
        )(TerraformIterator.fromList(["a"]).dynamic({ secret_wo: t.value })),
      }),
  },
  {
    name: "provisioners and connections",
    declare: (s, t) =>
      new AnyResource(
        s,
        "r",
        {},
        {
          connection: { type: "ssh", host: "x", password: t.value },
          provisioners: [{ type: "local-exec", command: "x", environment: { TOKEN: t.value } }],
        },
      ),
  },
  {
    name: "conditions",
    declare: (s, t) =>
      new AnyResource(
        s,
        "r",
        {},
        { lifecycle: { precondition: [{ condition: `\${${t.value} != ""}`, errorMessage: "x" }] } },
      ),
  },
  {
    name: "conditions of outputs, checks and variables",
    declare: (s, t) => {
      new TerraformOutput(s, "o", { value: 1 }).addOverride("precondition", [
        { condition: `\${${t.value} != ""}`, error_message: "x" },
      ]);
      s.addOverride("check.c.assert", [{ condition: `\${${t.value} != ""}`, error_message: "x" }]);
      new TerraformVariable(s, "v", {
        validation: [{ condition: `\${${t.value} != ""}`, errorMessage: "x" }],
      });
    },
  },
  {
    name: "a string that is no template, by its address",
    declare: (s) => new TerraformOutput(s, "o", { value: "{ephemeral.iam_token.web.token}" }),
  },
  { name: "dependsOn", declare: (s, t) => new AnyResource(s, "r", {}, { dependsOn: [t] }) },
  {
    name: "dependsOn of a data source and an output",
    declare: (s, t) => new TerraformOutput(s, "o", { value: 1, dependsOn: [t as never] }),
  },
  {
    name: "ephemeralasnull",
    declare: (s, t) => new TerraformOutput(s, "o", { value: `\${ephemeralasnull(${t.value})}` }),
  },
  {
    name: "ephemeralasnull, after another call",
    declare: (s, t) =>
      new TerraformOutput(s, "o", {
        value: `\${ephemeralasnull(join("", [upper("a"), ${t.value}]))}`,
      }),
  },
  {
    name: "other ephemeral blocks",
    declare: (s, t) => new AnyPart(s, "p", { ephemeral: { any_thing: { x: { token: t.value } } } }),
  },
  {
    name: "the password of another identity service",
    declare: (s, t) =>
      new AnyPart(s, "p", { provider: { iam: [{ alias: "x", password: t.value }] } }),
  },
];

describe("an ephemeral token is accepted in", () => {
  test.each(ACCEPTED)("$name", ({ declare }) => {
    const stack = testStack();
    declare(stack, tokenIn(stack));

    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([]);
    expect(
      annotationsOf(stack, "info").filter((text) => !text.includes("Nothing in the stack")),
    ).toEqual([]);
  });
});

test("the error about a token that is resolved before synthesis suggests allowInState", () => {
  const stack = testStack();
  const token = tokenIn(stack, TokenResolution.SYNTH);
  new TerraformOutput(stack, "o", { value: token.value });
  new TerraformOutput(stack, "whole", { value: token });
  // Its properties are in a variable of their own, which is not ephemeral.
  new TerraformOutput(stack, "print", { value: token.fingerprint });
  expect(mistakesOf(stack)).toContainEqual(
    expect.stringMatching(
      /^\[stack\/web\] .* an output: stack\/o \(value\), stack\/whole \(value\)\. .*declare a token with allowInState: true for this use.*\[ERR_EPHEMERAL_OUTPUT\]$/,
    ),
  );
});

test("the error about a static token suggests DATA: it cannot rotate", () => {
  const stack = testStack();
  const token = new StaticTokenRef(stack, "static", { source: SecretRef.env("T") });
  new TerraformOutput(stack, "o", { value: token.value });
  expect(mistakesOf(stack)).toEqual([
    expect.stringContaining("declare a token with resolution: TokenResolution.DATA for this use"),
  ]);
});

test("the error about a stored ephemeral token suggests ROTATING first; about count, DATA", () => {
  for (const [declare, first] of [
    [
      (s: TerraformStack, t: ServiceUserToken) =>
        new TerraformOutput(s, "o", { value: t.value, sensitive: true }),
      "ROTATING",
    ],
    [
      (s: TerraformStack, t: ServiceUserToken) =>
        s.addOverride("resource.null_resource.x.triggers.t", t.value),
      "ROTATING",
    ],
    [
      (s: TerraformStack, t: ServiceUserToken) =>
        s.addOverride("resource.null_resource.x.count", t.value),
      "DATA",
    ],
  ] as const) {
    const stack = testStack();
    declare(stack, tokenIn(stack));
    expect(/TokenResolution\.(\w+)/.exec(mistakesOf(stack).join())?.[1]).toBe(first);
  }
});
