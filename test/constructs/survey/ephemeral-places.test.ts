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

/** By the code of the error: the place, as the error names it and as a program declares it. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, readonly [RegExp, Declare]>>>> = {
  ERR_EPHEMERAL_OUTPUT: {
    "an output": [
      /stack\/o/,
      (s, t) => new TerraformOutput(s, "o", { value: t.value, sensitive: true }),
    ],
    "an output of the fingerprint": [
      /stack\/o/,
      (s, t) => new TerraformOutput(s, "o", { value: t.fingerprint }),
    ],
    "an output of the whole token": [
      /stack\/o/,
      (s, t) => new TerraformOutput(s, "o", { value: t }),
    ],
    "an output, next to an argument of ephemeralasnull": [
      /stack\/o/,
      (s, t) =>
        new TerraformOutput(s, "o", { value: `\${ephemeralasnull(upper(${t.value}))}${t.value}` }),
    ],
    "an output, next to ephemeralasnull of something else, through a local value": [
      /through the local value one/,
      (s, t) => {
        new TerraformLocal(s, "one", t.value);
        new TerraformOutput(s, "o", { value: "${ephemeralasnull(var.x)}${local.one}" });
      },
    ],
    "an output, in a function": [
      /stack\/o/,
      (s, t) => new TerraformOutput(s, "o", { value: Fn.nonsensitive(t.value) }),
    ],
    "an output, in a string": [
      /stack\/o/,
      (s, t) => new TerraformOutput(s, "o", { value: `Bearer ${t.value}` }),
    ],
    "an output, in a condition": [
      /stack\/o/,
      (s, t) => new TerraformOutput(s, "o", { value: conditional(true, t.value, "") }),
    ],
    "an output, lazily": [
      /stack\/o/,
      (s, t) =>
        new TerraformOutput(s, "o", {
          value: Lazy.anyValue({ produce: () => ({ deep: [t.value] }) }),
        }),
    ],
    "an output, as a header": [
      /stack\/o/,
      (s, t) => new TerraformOutput(s, "o", { value: t.headers }),
    ],
    "an output, through local values": [
      /stack\/o \(value\), through the local value two/,
      (s, t) => {
        const one = new TerraformLocal(s, "one", { token: t.value });
        const two = new TerraformLocal(s, "two", `Bearer ${one.asString}`);
        new TerraformOutput(s, "o", { value: two.asString });
      },
    ],
    "an override of the stack": [
      /: stack \(value\)/,
      (s, t) => s.addOverride("output.o.value", t.value),
    ],
    "an address that is written by hand": [
      /stack\/o/,
      (s) => new TerraformOutput(s, "o", { value: "${ephemeral.iam_token.web.token}" }),
    ],
  },
  ERR_EPHEMERAL_MISPLACED: {
    "an argument of a data source": [
      /stack\/d \(q\.h\)/,
      (s, t) => new AnyData(s, "d", { q: [{ h: t.value }] }),
    ],
    triggers: [
      /an argument that is stored in the state: stack\/r \(triggers\.t\)/,
      (s, t) => new AnyResource(s, "r", { triggers: { t: t.value } }),
    ],
    triggers_replace: [
      /triggers_replace/,
      (s, t) => new AnyResource(s, "r", { triggers_replace: t.value }),
    ],
    count: [
      /used in count: stack\/r/,
      (s, t) =>
        new AnyResource(
          s,
          "r",
          {},
          { count: TerraformCount.of(Token.asNumber(Fn.lengthOf(t.value))) },
        ),
    ],
    for_each: [
      /used in for_each: stack\/r/,
      (s, t) => new AnyResource(s, "r", {}, { forEach: TerraformIterator.fromList([t.value]) }),
    ],
    "a dynamic block": [
      /a dynamic block's for_each: stack\/r \(setting\.for_each\)/,
      (s, t) =>
        new AnyResource(s, "r", {
          setting: listMapper(
            (content) => content,
            true,
          )(TerraformIterator.fromList([t.value]).dynamic({ name: "x" })),
        }),
    ],
    "a dynamic block inside another": [
      /a dynamic block's for_each: stack\/r \(outer\.inner\.for_each\)/,
      (s, t) =>
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
    ],
    "what a failing condition of an output prints": [
      /error message.*stack\/o/,
      (s, t) =>
        new TerraformOutput(s, "o", { value: 1 }).addOverride("precondition", [
          { condition: true, error_message: t.value },
        ]),
    ],
    "what a failing validation of a variable prints": [
      /error message.*stack\/v/,
      (s, t) =>
        new TerraformVariable(s, "v", {
          validation: [{ condition: true, errorMessage: `no ${t.value}` }],
        }),
    ],
    "what a failing check prints": [
      /error message/,
      (s, t) => s.addOverride("check.c.assert", [{ condition: true, error_message: t.value }]),
    ],
    "a check's data source": [
      /argument of a data source/,
      (s, t) => s.addOverride("check.c.data.http.x.url", t.value),
    ],
    "what a failing condition prints": [
      /error message/,
      (s, t) =>
        new AnyResource(
          s,
          "r",
          {},
          {
            lifecycle: { precondition: [{ condition: "${true}", errorMessage: `no ${t.value}` }] },
          },
        ),
    ],
    "count, through a local value that is written by hand": [
      /used in count: stack\/r, through the local value one/,
      (s, t) => {
        new TerraformLocal(s, "one", t.value);
        new AnyResource(s, "r", {}).addOverride("count", "${length(local.one)}");
      },
    ],
    "an override of an element": [
      /stack\/r \(triggers\.x\)/,
      (s, t) => new AnyResource(s, "r", {}).addOverride("triggers.x", t.value),
    ],
  },
  ERR_TOKEN_MISPLACED: {
    "an import's id, which Terraform prints": [
      /the id of an import.*\(id\)/,
      (s, t) => s.addOverride("import", [{ to: "any_thing.r", id: t.value }]),
    ],
    replace_triggered_by: [
      /used in replace_triggered_by: stack\/r/,
      (s, t) => new AnyResource(s, "r", {}, { lifecycle: { replaceTriggeredBy: [t.value] } }),
    ],
    "a backend": [
      /stack \(backend\.http\.password\)/,
      (s, t) => s.addOverride("terraform.backend.http.password", t.value),
    ],
    "a variable's default": [
      /stack\/v/,
      (s, t) => new TerraformVariable(s, "v", { default: t.value }),
    ],
    "a moved block": [
      /stack\/p/,
      (s, t) => new AnyPart(s, "p", { moved: [{ from: t.value, to: "x.y" }] }),
    ],
    "a moved block, by its address": [
      /a moved or removed block: stack \(moved\.to\)\. .* as a string, without/,
      (s, t) => s.addOverride("moved", [{ from: "iam_token.old", to: t.fqn }]),
    ],
    "a module's source": [
      /stack\/m/,
      (s, t) => new TerraformHclModule(s, "m", { source: `git::https://${t.value}@example.com/x` }),
    ],
  },
};

describe("an ephemeral token is refused in", () => {
  const rows = Object.entries(REFUSED).flatMap(([code, places]) =>
    Object.entries(places).map(([place, row]) => [place, code, ...row] as const),
  );
  test.each(rows)("%s", (_place, code, where, declare) => {
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

const ACCEPTED: Readonly<Record<string, Declare>> = {
  "a provider's block": (s, t) =>
    new AnyProvider(s, { nested: [{ token: t.value }], headers: t.headers }),
  "a local value that nothing uses": (s, t) => new TerraformLocal(s, "l", t.value),
  "a provider's block, through a local value": (s, t) =>
    new AnyProvider(s, { token: new TerraformLocal(s, "l", t.value).asString }),
  "a write-only argument": (s, t) =>
    new AnyResource(s, "r", { secret_wo: t.value, secret_wo_version: 1 }),
  "a write-only argument of a nested block": (s, t) =>
    new AnyResource(s, "r", { box: [{ secret_wo: t.value }] }),
  "an argument below a write-only one": (s, t) =>
    new AnyResource(s, "r", { data_wo: { inner: t.value } }),
  "a write-only argument of a dynamic block": (s, t) =>
    new AnyResource(s, "r", {
      setting: listMapper(
        (content) => content,
        true,
      )(TerraformIterator.fromList(["a"]).dynamic({ secret_wo: t.value })),
    }),
  "provisioners and connections": (s, t) =>
    new AnyResource(
      s,
      "r",
      {},
      {
        connection: { type: "ssh", host: "x", password: t.value },
        provisioners: [{ type: "local-exec", command: "x", environment: { TOKEN: t.value } }],
      },
    ),
  conditions: (s, t) =>
    new AnyResource(
      s,
      "r",
      {},
      { lifecycle: { precondition: [{ condition: `\${${t.value} != ""}`, errorMessage: "x" }] } },
    ),
  "conditions of outputs, checks and variables": (s, t) => {
    new TerraformOutput(s, "o", { value: 1 }).addOverride("precondition", [
      { condition: `\${${t.value} != ""}`, error_message: "x" },
    ]);
    s.addOverride("check.c.assert", [{ condition: `\${${t.value} != ""}`, error_message: "x" }]);
    new TerraformVariable(s, "v", {
      validation: [{ condition: `\${${t.value} != ""}`, errorMessage: "x" }],
    });
  },
  "a string that is no template, by its address": (s) =>
    new TerraformOutput(s, "o", { value: "{ephemeral.iam_token.web.token}" }),
  dependsOn: (s, t) => new AnyResource(s, "r", {}, { dependsOn: [t] }),
  "dependsOn of a data source and an output": (s, t) =>
    new TerraformOutput(s, "o", { value: 1, dependsOn: [t as never] }),
  ephemeralasnull: (s, t) =>
    new TerraformOutput(s, "o", { value: `\${ephemeralasnull(${t.value})}` }),
  "ephemeralasnull, after another call": (s, t) =>
    new TerraformOutput(s, "o", {
      value: `\${ephemeralasnull(join("", [upper("a"), ${t.value}]))}`,
    }),
  "other ephemeral blocks": (s, t) =>
    new AnyPart(s, "p", { ephemeral: { any_thing: { x: { token: t.value } } } }),
  "the password of another identity service": (s, t) =>
    new AnyPart(s, "p", { provider: { iam: [{ alias: "x", password: t.value }] } }),
};

describe("an ephemeral token is accepted in", () => {
  test.each(Object.entries(ACCEPTED))("%s", (_place, declare) => {
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
