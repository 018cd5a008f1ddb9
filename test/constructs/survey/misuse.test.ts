import {
  App,
  Aspects,
  conditional,
  DataResource,
  Fn,
  type IAspect,
  Lazy,
  listMapper,
  Op,
  propertyAccess,
  ref,
  TerraformCount,
  TerraformDataSource,
  TerraformElement,
  TerraformHclModule,
  TerraformIterator,
  TerraformLocal,
  TerraformOutput,
  TerraformStack,
  TerraformVariable,
  Testing,
  Token,
} from "cdktf";
import type { IConstruct } from "constructs";
import { ServiceUserToken, TokenResolution, TokenScope, WriteOnlyArguments } from "../../../lib";
import {
  AnyProvider,
  AnyResource,
  annotationsOf,
  identityIn,
  mistakesOf,
  temporaryFolder,
  testApp,
  testStack,
} from "../support";

function tokenIn(stack: TerraformStack, resolution = TokenResolution.EPHEMERAL): ServiceUserToken {
  return new ServiceUserToken(stack, "web", {
    identity: identityIn(stack),
    scope: TokenScope.account(),
    resolution,
  });
}

class AnyData extends TerraformDataSource {
  constructor(
    scope: IConstruct,
    id: string,
    private readonly values: Readonly<Record<string, unknown>>,
  ) {
    super(scope as TerraformStack, id, { terraformResourceType: "any_data" });
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { ...this.values };
  }
}

/** An element that gives any part of a configuration. */
class AnyPart extends TerraformElement {
  constructor(
    scope: IConstruct,
    id: string,
    private readonly part: Readonly<Record<string, unknown>>,
  ) {
    super(scope as TerraformStack, id);
  }

  override toTerraform(): Readonly<Record<string, unknown>> {
    return this.part;
  }
}

type Declare = (stack: TerraformStack, token: ServiceUserToken) => void;

const REFUSED: readonly [name: string, code: string, where: RegExp, declare: Declare][] = [
  [
    "an output",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) => new TerraformOutput(s, "o", { value: t.value, sensitive: true }),
  ],
  [
    "an output of the fingerprint",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) => new TerraformOutput(s, "o", { value: t.fingerprint }),
  ],
  [
    "an output of the whole token",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) => new TerraformOutput(s, "o", { value: t }),
  ],
  [
    "an argument of a data source",
    "ERR_EPHEMERAL_MISPLACED",
    /stack\/d \(q\.h\)/,
    (s, t) => new AnyData(s, "d", { q: [{ h: t.value }] }),
  ],
  [
    "triggers",
    "ERR_EPHEMERAL_MISPLACED",
    /stack\/r \(triggers\.t\)/,
    (s, t) => new AnyResource(s, "r", { triggers: { t: t.value } }),
  ],
  [
    "triggers_replace",
    "ERR_EPHEMERAL_MISPLACED",
    /triggers_replace/,
    (s, t) => new AnyResource(s, "r", { triggers_replace: t.value }),
  ],
  [
    "count",
    "ERR_EPHEMERAL_MISPLACED",
    /used in count: stack\/r/,
    (s, t) =>
      new AnyResource(
        s,
        "r",
        {},
        { count: TerraformCount.of(Token.asNumber(Fn.lengthOf(t.value))) },
      ),
  ],
  [
    "for_each",
    "ERR_EPHEMERAL_MISPLACED",
    /used in for_each: stack\/r/,
    (s, t) => new AnyResource(s, "r", {}, { forEach: TerraformIterator.fromList([t.value]) }),
  ],
  [
    "a dynamic block",
    "ERR_EPHEMERAL_MISPLACED",
    /a dynamic block's for_each: stack\/r \(setting\.for_each\)/,
    (s, t) =>
      new AnyResource(s, "r", {
        setting: listMapper(
          (content) => content,
          true,
        )(TerraformIterator.fromList([t.value]).dynamic({ name: "x" })),
      }),
  ],
  [
    "a dynamic block inside another",
    "ERR_EPHEMERAL_MISPLACED",
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
  [
    "what a failing condition of an output prints",
    "ERR_EPHEMERAL_MISPLACED",
    /error message.*stack\/o/,
    (s, t) =>
      new TerraformOutput(s, "o", { value: 1 }).addOverride("precondition", [
        { condition: true, error_message: t.value },
      ]),
  ],
  [
    "what a failing validation of a variable prints",
    "ERR_EPHEMERAL_MISPLACED",
    /error message.*stack\/v/,
    (s, t) =>
      new TerraformVariable(s, "v", {
        validation: [{ condition: true, errorMessage: `no ${t.value}` }],
      }),
  ],
  [
    "what a failing check prints",
    "ERR_EPHEMERAL_MISPLACED",
    /error message/,
    (s, t) => s.addOverride("check.c.assert", [{ condition: true, error_message: t.value }]),
  ],
  [
    "a check's data source",
    "ERR_EPHEMERAL_MISPLACED",
    /argument of a data source/,
    (s, t) => s.addOverride("check.c.data.http.x.url", t.value),
  ],
  [
    "an import's id, which Terraform prints",
    "ERR_TOKEN_MISPLACED",
    /the id of an import.*\(id\)/,
    (s, t) => s.addOverride("import", [{ to: "any_thing.r", id: t.value }]),
  ],
  [
    "an output, beside what ephemeralasnull leaves nothing of",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) =>
      new TerraformOutput(s, "o", { value: `\${ephemeralasnull(upper(${t.value}))}${t.value}` }),
  ],
  [
    "an output, beside ephemeralasnull of something else, through a local value",
    "ERR_EPHEMERAL_OUTPUT",
    /through the local value one/,
    (s, t) => {
      new TerraformLocal(s, "one", t.value);
      new TerraformOutput(s, "o", { value: "${ephemeralasnull(var.x)}${local.one}" });
    },
  ],
  [
    "what a failing condition prints",
    "ERR_EPHEMERAL_MISPLACED",
    /error message/,
    (s, t) =>
      new AnyResource(
        s,
        "r",
        {},
        { lifecycle: { precondition: [{ condition: "${true}", errorMessage: `no ${t.value}` }] } },
      ),
  ],
  [
    "an output, in a function",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) => new TerraformOutput(s, "o", { value: Fn.nonsensitive(t.value) }),
  ],
  [
    "an output, in a text",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) => new TerraformOutput(s, "o", { value: `Bearer ${t.value}` }),
  ],
  [
    "an output, in a condition",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) => new TerraformOutput(s, "o", { value: conditional(true, t.value, "") }),
  ],
  [
    "an output, lazily",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) =>
      new TerraformOutput(s, "o", {
        value: Lazy.anyValue({ produce: () => ({ deep: [t.value] }) }),
      }),
  ],
  [
    "an output, as a header",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s, t) => new TerraformOutput(s, "o", { value: t.headers }),
  ],
  [
    "an output, through local values",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o \(value\), through the local value two/,
    (s, t) => {
      const one = new TerraformLocal(s, "one", { token: t.value });
      const two = new TerraformLocal(s, "two", `Bearer ${one.asString}`);
      new TerraformOutput(s, "o", { value: two.asString });
    },
  ],
  [
    "count, through a local value that is written by hand",
    "ERR_EPHEMERAL_MISPLACED",
    /used in count: stack\/r, through the local value one/,
    (s, t) => {
      new TerraformLocal(s, "one", t.value);
      new AnyResource(s, "r", {}).addOverride("count", "${length(local.one)}");
    },
  ],
  [
    "an override of an element",
    "ERR_EPHEMERAL_MISPLACED",
    /stack\/r \(triggers\.x\)/,
    (s, t) => new AnyResource(s, "r", {}).addOverride("triggers.x", t.value),
  ],
  [
    "an override of the stack",
    "ERR_EPHEMERAL_OUTPUT",
    /: stack \(value\)/,
    (s, t) => s.addOverride("output.o.value", t.value),
  ],
  [
    "an address that is written by hand",
    "ERR_EPHEMERAL_OUTPUT",
    /stack\/o/,
    (s) => new TerraformOutput(s, "o", { value: "${ephemeral.iam_token.web.token}" }),
  ],
  [
    "replace_triggered_by",
    "ERR_TOKEN_MISPLACED",
    /stack\/r/,
    (s, t) => new AnyResource(s, "r", {}, { lifecycle: { replaceTriggeredBy: [t.value] } }),
  ],
  [
    "a backend",
    "ERR_TOKEN_MISPLACED",
    /stack \(backend\.http\.password\)/,
    (s, t) => s.addOverride("terraform.backend.http.password", t.value),
  ],
  [
    "a variable's default",
    "ERR_TOKEN_MISPLACED",
    /stack\/v/,
    (s, t) => new TerraformVariable(s, "v", { default: t.value }),
  ],
  [
    "a moved block",
    "ERR_TOKEN_MISPLACED",
    /stack\/p/,
    (s, t) => new AnyPart(s, "p", { moved: [{ from: t.value, to: "x.y" }] }),
  ],
  [
    "a moved block, by its address",
    "ERR_TOKEN_MISPLACED",
    /a moved or removed block: stack \(moved\.to\)\. .* as a text, without/,
    (s, t) => s.addOverride("moved", [{ from: "iam_token.old", to: t.fqn }]),
  ],
  [
    "a module's source",
    "ERR_TOKEN_MISPLACED",
    /stack\/m/,
    (s, t) => new TerraformHclModule(s, "m", { source: `git::https://${t.value}@example.com/x` }),
  ],
];

describe("an ephemeral token is refused in", () => {
  test.each(REFUSED)("%s", (_name, code, where, declare) => {
    const stack = testStack();
    declare(stack, tokenIn(stack));

    const mistakes = mistakesOf(stack);

    expect(mistakes).toEqual([
      expect.stringMatching(new RegExp(`^\\[stack/web\\] .*\\[${code}\\]$`)),
    ]);
    expect(mistakes[0]).toMatch(where);
    expect(mistakes[0]).toMatch(
      code === "ERR_TOKEN_MISPLACED" ? /Take it out/ : /TokenResolution\.DATA/,
    );
  });

  test("what an aspect adds", () => {
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

const ACCEPTED: readonly [name: string, declare: Declare][] = [
  [
    "a provider's block",
    (s, t) => new AnyProvider(s, { nested: [{ token: t.value }], headers: t.headers }),
  ],
  ["a local value that nothing uses", (s, t) => new TerraformLocal(s, "l", t.value)],
  [
    "a provider's block, through a local value",
    (s, t) => new AnyProvider(s, { token: new TerraformLocal(s, "l", t.value).asString }),
  ],
  [
    "a write-only argument",
    (s, t) => new AnyResource(s, "r", { secret_wo: t.value, secret_wo_version: 1 }),
  ],
  [
    "a write-only argument of a nested block",
    (s, t) => new AnyResource(s, "r", { box: [{ secret_wo: t.value }] }),
  ],
  [
    "an argument below a write-only one",
    (s, t) => new AnyResource(s, "r", { data_wo: { inner: t.value } }),
  ],
  [
    "a write-only argument of a dynamic block",
    (s, t) =>
      new AnyResource(s, "r", {
        setting: listMapper(
          (content) => content,
          true,
        )(TerraformIterator.fromList(["a"]).dynamic({ secret_wo: t.value })),
      }),
  ],
  [
    "provisioners and connections",
    (s, t) =>
      new AnyResource(
        s,
        "r",
        {},
        {
          connection: { type: "ssh", host: "x", password: t.value },
          provisioners: [{ type: "local-exec", command: "x", environment: { TOKEN: t.value } }],
        },
      ),
  ],
  [
    "conditions",
    (s, t) =>
      new AnyResource(
        s,
        "r",
        {},
        { lifecycle: { precondition: [{ condition: `\${${t.value} != ""}`, errorMessage: "x" }] } },
      ),
  ],
  [
    "conditions of outputs, checks and variables",
    (s, t) => {
      new TerraformOutput(s, "o", { value: 1 }).addOverride("precondition", [
        { condition: `\${${t.value} != ""}`, error_message: "x" },
      ]);
      s.addOverride("check.c.assert", [{ condition: `\${${t.value} != ""}`, error_message: "x" }]);
      new TerraformVariable(s, "v", {
        validation: [{ condition: `\${${t.value} != ""}`, errorMessage: "x" }],
      });
    },
  ],
  ["dependsOn", (s, t) => new AnyResource(s, "r", {}, { dependsOn: [t] })],
  [
    "dependsOn of a data source and an output",
    (s, t) => new TerraformOutput(s, "o", { value: 1, dependsOn: [t as never] }),
  ],
  [
    "ephemeralasnull",
    (s, t) => new TerraformOutput(s, "o", { value: `\${ephemeralasnull(${t.value})}` }),
  ],
  [
    "other ephemeral blocks",
    (s, t) => new AnyPart(s, "p", { ephemeral: { any_thing: { x: { token: t.value } } } }),
  ],
  [
    "the password of another identity service",
    (s, t) => new AnyPart(s, "p", { provider: { iam: [{ alias: "x", password: t.value }] } }),
  ],
];

describe("an ephemeral token is accepted in", () => {
  test.each(ACCEPTED)("%s", (_name, declare) => {
    const stack = testStack();
    declare(stack, tokenIn(stack));

    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([]);
    expect(
      annotationsOf(stack, "info").filter((text) => !text.includes("Nothing in the stack")),
    ).toEqual([]);
  });
});

describe("an ephemeral token in an argument of a resource", () => {
  test("gets a warning beside a write-only one: its version is stored", () => {
    const stack = testStack();
    const token = tokenIn(stack);
    new AnyResource(stack, "r", { secret_wo: token.value, secret_wo_version: token.fingerprint });

    expect(annotationsOf(stack, "warn")).toEqual([]);
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringContaining("The argument secret_wo_version takes the ephemeral token"),
    ]);
  });

  test("gets a warning that says how a write-only argument is told", () => {
    const stack = testStack();
    new AnyResource(stack, "r", { box: [{ secret: tokenIn(stack).value }] });

    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringMatching(
        /^stack\/r: The argument box\.secret takes .*stack\/web.*WriteOnlyArguments.*any_thing\.box/,
      ),
    ]);
  });

  test("gets a warning that does not show how it was found, where it is a key", () => {
    const stack = testStack();
    new AnyResource(stack, "r", { tags: { [tokenIn(stack).value]: "x" } });

    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringContaining("The argument tags.(key) takes the ephemeral token"),
    ]);
  });

  test.each(["secret", "any_thing.secret", "any_thing.box"])(
    "gets none where the user names %s",
    (name) => {
      const stack = testStack();
      WriteOnlyArguments.of(stack).add("other.secret", name);
      new AnyResource(stack, "r", { box: [{ secret: tokenIn(stack).value }] });

      expect(mistakesOf(stack)).toEqual([]);
      expect(annotationsOf(stack, "warn")).toEqual([]);
    },
  );

  test("gets one where the name is that of another type, or of another part of the program", () => {
    const app = testApp();
    const stack = new TerraformStack(app, "stack");
    WriteOnlyArguments.of(stack).add("other_thing.secret");
    WriteOnlyArguments.of(new TerraformStack(app, "elsewhere")).add("secret");
    new AnyResource(stack, "r", { secret: tokenIn(stack).value });

    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toHaveLength(1);
  });

  test("a wrong name is told", () => {
    const stack = testStack();
    WriteOnlyArguments.of(stack).add("a.b.c", 7 as never);

    expect(mistakesOf(stack)).toEqual([
      expect.stringMatching(/^\[stack\] .*"a\.b\.c".*ERR_PROP_INVALID/),
      expect.stringMatching(/^\[stack\] .*type number.*ERR_PROP_INVALID/),
    ]);
  });
});

test("an ephemeral token in a module's input gets a warning that names ephemeral = true", () => {
  const stack = testStack();
  new TerraformHclModule(stack, "m", {
    source: "example/m/any",
    variables: { api_token: tokenIn(stack).value },
  });

  expect(mistakesOf(stack)).toEqual([]);
  expect(annotationsOf(stack, "warn")).toEqual([
    expect.stringMatching(/^stack\/m: The module's input api_token .*ephemeral = true/),
  ]);
});

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

describe("in what runs when a resource is destroyed, which knows nothing but the resource", () => {
  const provisioner = (more: object) =>
    ({ type: "local-exec", when: "destroy", command: "true", ...more }) as never;
  const make = (stack: TerraformStack, provisioners: never[], more: object = {}) =>
    void new DataResource(stack, "d", { provisioners, ...more });

  test.each<[string, Declare]>([
    [
      "the environment of a command",
      (s, t) => make(s, [provisioner({ environment: t.environment("API") })]),
    ],
    ["a command", (s, t) => make(s, [provisioner({ command: `echo ${t.value}` })])],
    [
      "a local value on the way there",
      (s, t) =>
        make(s, [
          provisioner({ environment: { T: new TerraformLocal(s, "l", t.value).asString } }),
        ]),
    ],
    [
      "what is known of the token",
      (s, t) => make(s, [provisioner({ environment: { PRINT: t.fingerprint } })]),
    ],
    [
      "the connection of the provisioner",
      (s, t) =>
        make(s, [
          provisioner({
            type: "remote-exec",
            connection: { type: "ssh", host: "h", password: t.value },
          }),
        ]),
    ],
    [
      "the connection that it shares with others",
      (s, t) =>
        make(s, [provisioner({ when: "create" }), provisioner({})], {
          connection: { type: "ssh", host: "h", password: t.value },
        }),
    ],
    [
      "an override",
      (s, t) =>
        void s.addOverride("resource.terraform_data.x.provisioner", {
          "local-exec": { when: "destroy", command: "true", environment: { T: t.value } },
        }),
    ],
  ])("%s is refused, however the token is resolved", (_what, declare) => {
    for (const resolution of [TokenResolution.EPHEMERAL, TokenResolution.DATA]) {
      const stack = testStack();
      declare(stack, tokenIn(stack, resolution));
      expect(mistakesOf(stack)).toEqual([
        expect.stringMatching(
          /^\[stack\/web\] The token is used in a provisioner that runs when its resource is destroyed: .*iam-tokens issue.*\[ERR_TOKEN_MISPLACED\]$/,
        ),
      ]);
    }
  });

  test("a provisioner beside it takes the token, and it takes the header's name", () => {
    const stack = testStack();
    const token = tokenIn(stack);
    const environment = { HEADER: token.headerName };
    make(
      stack,
      [
        provisioner({ environment }),
        provisioner({ when: "create", environment: token.environment("API") }),
      ],
      {
        dependsOn: [token],
      },
    );
    expect(mistakesOf(stack)).toEqual([]);
  });
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
        /^\[stack\/web\] The token is sensitive, and is used in an output that is not sensitive: .*sensitive: true.*\[ERR_TOKEN_MISPLACED\]$/,
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
      "an output that is sensitive, too",
      (s, t) => output(s, { t: t.headers }, { sensitive: true }),
    ],
    [
      "an output of what is known of it",
      (s, t) => output(s, [t.fingerprint, t.expiresAt, t.headerName]),
    ],
    ["an output that says it is no secret", (s, t) => output(s, Fn.nonsensitive(t.value))],
    [
      "an output of what a function leaves of it, which may be no secret",
      (s, t) => output(s, Fn.keys(t.headers)),
    ],
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
      "for_each that says it is no secret",
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

test.each([
  ["in what the other stack uses", (t: ServiceUserToken) => `\${ephemeralasnull(${t.value})}`],
  [
    "on the way there",
    (t: ServiceUserToken, a: TerraformStack) => {
      new TerraformLocal(a, "token", t.value);
      return "${ephemeralasnull(local.token)}";
    },
  ],
])("ephemeralasnull leaves a data token as it is: refused %s", (_where, declare) => {
  const app = testApp();
  const [a, b] = [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
  const local = new TerraformLocal(a, "through", declare(tokenIn(a, TokenResolution.DATA), a));
  new AnyResource(b, "r", { value: local.asString });

  expect(() => app.synth()).toThrow(
    /\[a\/web\] .*through the local value through.*ERR_OTHER_STACK/,
  );
});

test("a data token in a local value that another stack uses would stand in that stack's state", () => {
  const app = testApp();
  const [a, b] = [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
  const token = tokenIn(a, TokenResolution.DATA);
  const headers = new TerraformLocal(a, "headers", token.headers);
  const through = new TerraformLocal(a, "through", `${headers.expression}`);
  const harmless = new TerraformLocal(a, "harmless", `${token.expiresAt}`);
  new AnyResource(b, "any", { argument: through.asString, other: harmless.asString });
  const refused =
    /^[^[]*\[a\/web\] The token a\/web is used in another stack, through the local value through\..*reopenIn.*\[ERR_OTHER_STACK\][^[]*$/;
  expect(() => app.synth()).toThrow(refused);
});

describe.each([TokenResolution.EPHEMERAL, TokenResolution.DATA])(
  "a token of another stack (%s)",
  (resolution) => {
    const twoStacks = (): {
      readonly app: App;
      readonly a: TerraformStack;
      readonly b: TerraformStack;
    } => {
      const app = testApp();
      return { app, a: new TerraformStack(app, "a"), b: new TerraformStack(app, "b") };
    };

    test("is refused by its own stack, and nothing is carried over", () => {
      const { app, a, b } = twoStacks();
      new AnyProvider(b, { token: tokenIn(a, resolution).value });

      expect(() => app.synth()).toThrow(
        /\[a\/web\] .*another stack, b, by b\/any\..*reopenIn.*\[ERR_OTHER_STACK\]/,
      );
      expect(a.dependencies).toEqual([]);
      expect(b.dependencies).toEqual([]);
      expect(Testing.synth(a)).not.toContain("cross-stack");
    });

    test("is refused by the stack that uses it, also when that is validated first and has nothing of ours", () => {
      const { app, a, b } = twoStacks();
      new AnyProvider(a, { token: tokenIn(b, resolution).value });

      expect(() => app.synth()).toThrow(
        /\[a\] The token b\/web is used in another stack, a, by a\/any\..*\[ERR_OTHER_STACK\]/,
      );
    });

    test("is refused when cdktf would carry a local value there that holds it", () => {
      const { app, a, b } = twoStacks();
      const local = new TerraformLocal(a, "kept", { token: tokenIn(a, resolution).value });
      new AnyProvider(b, { token: new TerraformLocal(a, "again", local.expression).asString });

      expect(() => app.synth()).toThrow(
        /\[a\/web\] The token a\/web is used in another stack, through the local value again\. .*reopenIn.*\[ERR_OTHER_STACK\]/,
      );
    });

    test("is refused when cdktf would carry a reference there that was written by hand", () => {
      const { app, a, b } = twoStacks();
      tokenIn(a, resolution);
      const type = resolution === TokenResolution.DATA ? "data.iam_token" : "ephemeral.iam_token";
      new AnyProvider(b, { token: ref(`${type}.web.token`, a) });

      expect(() => app.synth()).toThrow(
        /\[a\/web\] .*another stack, by a reference written by hand\..*\[ERR_OTHER_STACK\]/,
      );
    });

    test("a local value of the same stack that holds none of it may go there", () => {
      const { app, a, b } = twoStacks();
      tokenIn(a, resolution);
      new AnyProvider(b, { region: new TerraformLocal(a, "kept", "north").asString });

      expect(() => app.synth()).not.toThrow();
    });

    test("of another app is called so", () => {
      const { app, b } = twoStacks();
      const foreign = new TerraformStack(testApp(), "b");
      new AnyProvider(b, { token: tokenIn(foreign, resolution).value });

      expect(() => app.synth()).toThrow(
        /The token b\/web is used in a stack of another app, b, by b\/any\..*\[ERR_OTHER_STACK\]/,
      );
    });

    test("is refused when an aspect brings it there, at the latest when it would be written", () => {
      class UsesIt implements IAspect {
        constructor(
          private readonly stack: TerraformStack,
          private readonly value: string,
        ) {}

        visit(node: IConstruct): void {
          if (node === this.stack) new AnyResource(this.stack, "late", { argument: this.value });
        }
      }
      const { app, a, b } = twoStacks();
      Aspects.of(b).add(new UsesIt(b, tokenIn(a, resolution).value));

      expect(() => app.synth()).toThrow(
        /a\/web is used in another stack, b.*reopenIn.*\[ERR_OTHER_STACK\]/,
      );
    });

    test("is refused by its dependency, its name is not", () => {
      const { app, a, b } = twoStacks();
      const token = tokenIn(a, resolution);
      new AnyResource(b, "name", { argument: token.headerName });
      expect(() => app.synth()).not.toThrow();

      new AnyResource(b, "r", {}, { dependsOn: [token] });
      expect(() => app.synth()).toThrow(/b\/r.*ERR_OTHER_STACK/);
    });

    test("of two stacks that need each other is a clear error, and no endless walk", () => {
      const { app, a, b } = twoStacks();
      b.addDependency(a);
      new AnyProvider(a, { token: tokenIn(b, resolution).value });
      new AnyProvider(b, { token: tokenIn(a, resolution).value });

      expect(() => app.synth()).toThrow(/ERR_OTHER_STACK/);
    });

    test("of another app is refused", () => {
      const { a } = twoStacks();
      const other = new App({ outdir: temporaryFolder() });
      const stack = new TerraformStack(other, "elsewhere");
      new AnyProvider(stack, { token: tokenIn(a, resolution).value });

      expect(() => other.synth()).toThrow(
        /\[elsewhere\] The token a\/web.*elsewhere\/any.*ERR_OTHER_STACK/,
      );
    });

    test("is told from one of the same name in the stack that uses it", () => {
      const { app, a, b } = twoStacks();
      tokenIn(b, resolution);
      new AnyProvider(b, { token: tokenIn(a, resolution).value });

      expect(() => app.synth()).toThrow(/\[a\/web\] .*b\/any/);
    });
  },
);

test("an ephemeral token that something stores is answered by ROTATING first; count by DATA", () => {
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
