import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  App,
  Aspects,
  Fn,
  Lazy,
  type TerraformElement,
  TerraformLocal,
  TerraformStack,
  TerraformVariable,
  type TerraformVariableConfig,
  Token,
} from "cdktf";
import { Construct } from "constructs";
import {
  RotationSchedule,
  SecretRef,
  StaticTokenRef,
  TokenResolution,
  TokenRotation,
} from "../../lib";
import {
  accountToken,
  anyData,
  anyPart,
  anyResource,
  expectNoMistake,
  identityIn,
  jsonOf,
  mistakesOf,
  partOf,
  providerBlocksOf,
  stacksOf,
  testStack,
} from "./support";

/** The secret of an attack; it must be in no file. */
const CANARY = "hunter2-canary";

const [LITERAL, STORED, OTHER] = ["ERR_SECRET_LITERAL", "ERR_SECRET_IN_PLAN", "ERR_OTHER_STACK"];

const variable = (scope: Construct, id: string, config: TerraformVariableConfig = {}) =>
  new TerraformVariable(scope, id, { type: "string", sensitive: true, ...config });

function ephemeral(scope: Construct, id: string, config: TerraformVariableConfig = {}) {
  const its = variable(scope, id, config);
  its.addOverride("ephemeral", true);
  return its;
}

const identityWith = (scope: Construct, password: SecretRef, id = "identity") =>
  identityIn(scope, id, { serviceUser: { name: "deployer", password } });

const blockOf = (construct: Construct) => construct.node.findChild("Default") as TerraformElement;

const passwordIn = (stack: TerraformStack, expression: string): TerraformElement =>
  blockOf(identityWith(stack, SecretRef.fromTerraform(expression)));

const storedIn = (stack: TerraformStack, storedToken: string, identity = identityIn(stack)) =>
  new TokenRotation(stack, "r", {
    schedule: RotationSchedule.every("6h"),
    storedToken,
    identity,
  });

const staticToken = (stack: TerraformStack, expression: string) =>
  new StaticTokenRef(stack, "dns", { source: SecretRef.fromTerraform(expression) });

/** What an expression in the tables refers to. */
function declareNames(stack: TerraformStack): void {
  ephemeral(stack, "ok");
  ephemeral(stack, "preset", { default: CANARY });
  variable(stack, "kept");
  new TerraformLocal(stack, "l", CANARY);
}

const lazily = (value: unknown) => Token.asString(Lazy.anyValue({ produce: () => value }));

/** Not exactly one expression: a literal may be in it. */
const NO_EXPRESSION = {
  "an escaped expression": `$\${${CANARY}}`,
  "a text in front of an expression": `${CANARY}\${var.ok}`,
  "two expressions": `\${var.ok}\${"${CANARY}"}`,
  "a quoted text": `\${"${CANARY}"}`,
  "a quoted text in a function": `\${sensitive("${CANARY}")}`,
  "a quoted text that looks like a variable": `\${"var.${CANARY}"}`,
  "a quoted text with a quote in it": `\${"\\"x.${CANARY}"}`,
  "a quoted text without an end": `\${"x.${CANARY}}`,
  "a quoted text with an expression in it": `\${"${CANARY}\${var.ok}"}`,
  "a directive": `%{ if var.ok != "" }${CANARY}%{ endif }`,
  "a heredoc": `\${coalesce(var.ok, <<X\n${CANARY}\nX\n)}`,
  "an object": `\${{a = "${CANARY}", b = var.ok}["a"]}`,
  "a comment between marks": `\${var.ok /* ${CANARY} */}`,
  "a comment to the end of its line": `\${(var.ok # ${CANARY}\n)}`,
  "a comment within a reference": "${var/**/.preset}",
  "a number": "${coalesce(var.ok, 12345)}",
  "a template with a path in it": `\${"\${path.root}/${CANARY}"}`,
  "a condition": `\${terraform.workspace == "" ? "${CANARY}" : "${CANARY}"}`,
  "a text among arguments": `\${coalesce(var.ok, "${CANARY}")}`,
  "a text in a list": `\${element(["${CANARY}", var.ok], 0)}`,
  "a text in a branch": `\${terraform.workspace == "" ? "${CANARY}" : var.ok}`,
  "a lazy text": lazily(CANARY),
  "a lazy list": lazily([CANARY]),
  "a function of the program": Token.asString(Fn.sensitive(CANARY)),
};

interface Place {
  readonly stack: TerraformStack;
  readonly other: TerraformStack;
}

type Try = readonly [code: string | undefined, what: string, declare: (place: Place) => unknown];

/** An expression for each name. */
const expressions = (
  code: string | undefined,
  texts: Readonly<Record<string, string>>,
): readonly Try[] =>
  Object.entries(texts).map(([what, text]) => [code, what, ({ stack }) => passwordIn(stack, text)]);

/** A secret that was fine, whose configuration is changed afterwards. */
const changed =
  (change: (stack: TerraformStack, block: TerraformElement) => unknown) =>
  ({ stack }: Place) =>
    change(stack, passwordIn(stack, "${var.ok}"));

const overridden = (path: string, value: unknown) =>
  changed((stack) => stack.addOverride(path, value));

const TRIES: readonly Try[] = [
  ...expressions(LITERAL, NO_EXPRESSION),
  ...expressions(LITERAL, {
    "a local value, with spaces": "${local . l}",
    "a local value in a function": "${trimspace(local.l)}",
    "a local value with a minus": "${-local.l}",
    "a local value that is subtracted": "${0-local.l}",
    "the value of an iteration": "${each.value}",
    "the key of an iteration, in a function": "${trimspace(each . key)}",
  }),
  ...expressions(STORED, {
    "a variable with a default": "${var.preset}",
    "a variable that is not ephemeral": "${var.kept}",
    "a stored variable, over two lines": "${(var\n . kept)}",
    "a stored variable in a function": "${trimspace(var.kept)}",
    "a stored variable in a condition": "${ephemeral.x.y.z ? var.kept : ephemeral.x.b.z}",
    "a stored variable next to an ephemeral one": "${coalesce(var.ok, var.kept)}",
    "a variable that is not declared": "${var.elsewhere}",
    "a variable whose name begins like an ephemeral one's": "${var.oké}",
    "a stored variable 40,000 times": `\${${Array(40_000).fill("var.kept").join(" + ")}}`,
  }),
  [
    LITERAL,
    "a local value with the secret's variable",
    ({ stack }) => passwordIn(stack, new TerraformLocal(stack, "m", "${var.ok}").asString),
  ],
  [
    LITERAL,
    "600 local values in a chain",
    ({ stack }) => {
      let last = CANARY;
      for (let at = 0; at < 600; at++) last = new TerraformLocal(stack, `l${at}`, last).asString;
      passwordIn(stack, last);
    },
  ],
  [
    STORED,
    "a lazy default",
    ({ stack }) =>
      passwordIn(stack, ephemeral(stack, "pw", { default: lazily(CANARY) }).stringValue),
  ],
  [STORED, "a default by an override", overridden("variable.ok.default", CANARY)],
  [
    STORED,
    "a default in a second declaration",
    changed((stack) => anyPart(stack, { variable: [{ ok: [{ default: CANARY }] }] })),
  ],
  [STORED, "an override of ephemeral", overridden("variable.ok.ephemeral", false)],
  [STORED, "a deletion of ephemeral", overridden("variable.ok.ephemeral", undefined)],
  [STORED, "a deletion of the variable", overridden("variable.ok", undefined)],
  [
    STORED,
    "a lazy deletion",
    overridden("variable.ok.ephemeral", Lazy.anyValue({ produce: () => undefined })),
  ],
  [
    STORED,
    "SecretRef.variable, with a deletion by an aspect",
    ({ stack }) => {
      identityWith(stack, SecretRef.variable("pw"));
      const visit = (node: unknown) =>
        node === stack && stack.addOverride("variable.pw.ephemeral", undefined);
      Aspects.of(stack).add({ visit });
    },
  ],
  [
    LITERAL,
    "a lazy key",
    changed((stack) => anyPart(stack, { provider: { iam: [{ [lazily("password")]: CANARY }] } })),
  ],
  [
    STORED,
    "a lazy name of a variable",
    changed((stack) => stack.addOverride("variable", { [lazily("ok")]: { default: CANARY } })),
  ],
  ...(["addValidation", "onSynthesize"] as const).map(
    (when): Try => [
      LITERAL,
      `an override in the ${when} of a later construct`,
      changed((stack) => {
        const late = new Construct(stack, "later");
        const change = () => {
          stack.addOverride("provider.iam.0.password", CANARY);
          return [];
        };
        if (when === "addValidation") late.node.addValidation({ validate: change });
        else
          Object.defineProperty(late, Symbol.for("cdktf/customSynthesis"), {
            value: { onSynthesize: change },
          });
      }),
    ],
  ),
  [
    STORED,
    "a variable in a sub-scope",
    ({ stack }) => passwordIn(stack, variable(new Construct(stack, "sub"), "pw").stringValue),
  ],
  [
    OTHER,
    "an attribute of another stack",
    ({ stack, other }) =>
      passwordIn(stack, anyResource(other, "r", { v: CANARY }).getStringAttribute("v")),
  ],
  [
    OTHER,
    "a local value with an attribute of another stack",
    ({ stack, other }) => {
      const attribute = anyData(other, "d", { v: CANARY }).getStringAttribute("v");
      passwordIn(stack, new TerraformLocal(other, "l", attribute).asString);
    },
  ],
  [
    OTHER,
    "a token of another stack",
    ({ stack, other }) => passwordIn(stack, accountToken(other, {}, "t").value),
  ],
  [LITERAL, "an override of the password", overridden("provider.iam.0.password", CANARY)],
  [LITERAL, "an override of the block", overridden("provider.iam.12", { password: CANARY })],
  [
    LITERAL,
    "an override of all blocks",
    overridden("provider", { iam: [{ alias: "x", oidc_token: [CANARY] }] }),
  ],
  [
    LITERAL,
    "an override of the block's element",
    changed((_, block) => block.addOverride("password", CANARY)),
  ],
  [
    LITERAL,
    "a lazy override of it",
    changed((_, block) => block.addOverride("password", lazily(CANARY))),
  ],
  [
    LITERAL,
    "an aspect",
    changed((stack, block) =>
      Aspects.of(stack).add({
        visit: (node) =>
          node === block && block.addOverride("application_credential_secret", CANARY),
      }),
    ),
  ],
  [
    STORED,
    "an override with a stored variable",
    overridden("provider.iam.0.password", "${var.kept}"),
  ],
  [
    LITERAL,
    "a block of ours in an element of the program",
    changed((stack) => anyPart(stack, { provider: { iam: [{ password: CANARY }] } })),
  ],
  [
    LITERAL,
    "a lazy block of ours",
    changed((stack) => stack.addOverride("provider.iam", lazily([{ password: CANARY }]))),
  ],
  [
    LITERAL,
    "an override of a static token",
    ({ stack }) => {
      staticToken(stack, "${var.ok}");
      stack.addOverride("ephemeral.iam_static_token.dns.value", CANARY);
    },
  ],
  [
    LITERAL,
    "an override of its element",
    ({ stack }) => blockOf(staticToken(stack, "${var.ok}")).addOverride("value", CANARY),
  ],
  [STORED, "a static token, stored", ({ stack }) => staticToken(stack, "${var.kept}")],
  ...[
    [STORED, "preset"],
    [STORED, "kept"],
  ].map(
    ([code, name = ""]): Try => [
      code,
      `SecretRef.variable(${name}), which the program declares`,
      ({ stack }) => identityWith(stack, SecretRef.variable(name)),
    ],
  ),
  [
    STORED,
    "SecretRef.variable, with a default by an override",
    ({ stack }) => {
      identityWith(stack, SecretRef.variable("pw"));
      stack.addOverride("variable.pw.default", CANARY);
    },
  ],
  [LITERAL, "a stored token", ({ stack }) => storedIn(stack, `\${try(var.ok, "${CANARY}")}`)],
  [STORED, "a stored token, stored", ({ stack }) => storedIn(stack, "${var.kept}")],
  [
    OTHER,
    "a stored token of another stack",
    ({ stack, other }) => storedIn(stack, anyResource(other, "r", {}).getStringAttribute("token")),
  ],
  [
    LITERAL,
    "a pushed token by an override",
    overridden("resource.iam_rotation.r.pushed_token_wo", CANARY),
  ],
  [
    undefined,
    "a stored token as on the page",
    changed((stack) => {
      new TerraformVariable(stack, "is_stored", { type: "bool", default: false });
      const read = 'try(ephemeral.kv.stored[0].data.token, "")';
      storedIn(stack, `\${var.is_stored ? ${read} : null}`, identityIn(stack, "own"));
    }),
  ],
  // What keeps the secret out of files, plans and states.
  ...expressions(undefined, {
    "an ephemeral variable": "${var.ok}",
    "an ephemeral resource": "${ephemeral.vault_kv.x.data}",
    "a resource whose type ends in local": "${a-local.p}",
    "an attribute named local": "${x.y[0].local.p}",
    "a key with local in it, in functions":
      '${trimspace(jsondecode(ephemeral.aws.x.secret_string)["local.pass"])}',
    "an ephemeral variable in a list": "${element([var.ok], 0)}",
    "attributes named var and local": "${ephemeral.x.y.var.local}",
    // It has it in its state.
    "an attribute of a resource": "${any_thing.r.v}",
    "a lazy reference": lazily("${var.ok}"),
  }),
  [
    undefined,
    "a default that an override deletes",
    ({ stack }) => {
      passwordIn(stack, "${var.preset}");
      stack.addOverride("variable.preset.default", undefined);
    },
  ],
  [
    undefined,
    "a literal that an override replaces",
    changed((stack, block) => {
      block.addOverride("password", CANARY);
      stack.addOverride("provider.iam.0.password", "${var.ok}");
    }),
  ],
  [
    undefined,
    "the password of another provider",
    changed((stack) => anyPart(stack, { provider: { other: { password: "x" } } })),
  ],
  [
    undefined,
    "a variable of a nested stack with the name of SecretRef.variable's",
    ({ stack }) => {
      variable(new TerraformStack(stack, "inner"), "pw");
      identityWith(stack, SecretRef.variable("pw"));
    },
  ],
  [
    undefined,
    "an argument that is only named like ours",
    changed((stack) => stack.addOverride("resource.a.r.provider.iam.password", "x")),
  ],
  [
    undefined,
    "a variable that is ephemeral by an override of the stack",
    ({ stack }) => {
      passwordIn(stack, "${var.kept}");
      stack.addOverride("variable.kept.ephemeral", true);
    },
  ],
];

test.each(
  TRIES.map(([code, what, declare]) => ({ outcome: code ?? "accepted", what, code, declare })),
)("$outcome: $what", ({ code, declare }) => {
  const [stack, other] = stacksOf("stack", "zother");
  const app = App.of(stack);
  declareNames(stack);
  let message = "";
  try {
    declare({ stack, other });
    app.synth();
  } catch (error) {
    message = String(error);
  }
  const [found] = /\[ERR_\w+\]/.exec(message) ?? [];
  expect(found).toBe(code && `[${code}]`);
  expect(message).not.toMatch(new RegExp(`${CANARY}|\\] +(?:is|comes) `));
  expect(existsSync(join(app.outdir, "stacks/stack/cdk.tf.json"))).toBe(code === undefined);
  if (code === undefined)
    expect(JSON.stringify(providerBlocksOf(stack))).toContain('"password":"${');
});

test("without validations, what is no expression is refused as well", () => {
  for (const text of Object.values(NO_EXPRESSION)) {
    const stack = testStack();
    passwordIn(stack, text);
    expect(() => jsonOf(stack)).toThrow("[ERR_SECRET_LITERAL]");
  }
});

test.each([
  [
    "a quoted text",
    '${"x"}',
    "is not exactly one Terraform expression with the secret (the value is not repeated here). Allowed: one expression that refers to the secret, without text around it, strings, long numbers, braces and comments in it, local values, and for_each. " +
      'Refer to it: SecretRef.env("NAME"), SecretRef.file("path"), SecretRef.variable("name"), SecretRef.command(["program", "argument"]) or SecretRef.fromTerraform(expression). If the literal was committed, replace it at the service. [ERR_SECRET_LITERAL]',
  ],
  [
    "a variable that is not ephemeral",
    "${var.kept}",
    "comes from the variable kept, which the program does not declare as an ephemeral one without a default: its value would be in cdk.tf.json or in saved plans. " +
      'Use SecretRef.variable("kept"), which declares it so. [ERR_SECRET_IN_PLAN]',
  ],
  [
    "a value of another stack",
    "${data.terraform_remote_state.cross-stack-reference-input-other.outputs.x}",
    "is a value of another stack and would be stored in that stack's state. Use SecretRef.env, SecretRef.file or SecretRef.variable. [ERR_OTHER_STACK]",
  ],
])("the error says what is wrong, and the way: %s", (_what, text, says) => {
  const stack = testStack();
  declareNames(stack);
  passwordIn(stack, text);
  stack.addOverride("provider.iam.7.oidc_token", text);
  const [own, part] = mistakesOf(stack);
  expect(part).toMatch(/^\[stack\] federation\.token \(in provider\.iam\) /);
  expect(own?.replace("[stack/identity] serviceUser.password ", "")).toEqual(says);
});

describe("SecretRef.variable", () => {
  test("declares an ephemeral variable, once for all uses", () => {
    const stack = testStack();
    identityWith(stack, SecretRef.variable("pw"));
    identityWith(new Construct(stack, "room"), SecretRef.variable("pw"));
    new StaticTokenRef(stack, "dns", { source: SecretRef.variable("token") });
    expectNoMistake(stack);
    const { variable: declared, ephemeral: blocks, terraform } = jsonOf(stack);
    const config = { type: "string", sensitive: true, ephemeral: true };
    expect(declared).toEqual({ pw: config, token: config });
    expect(JSON.stringify(providerBlocksOf(stack)).split('"password":"${var.pw}"')).toHaveLength(3);
    expect(blocks).toHaveProperty("iam_static_token.dns.value", "${var.token}");
    expect(terraform).toHaveProperty("required_version", ">= 1.10.0");
  });

  test("needs Terraform 1.10 even for tokens of data sources alone", () => {
    const stack = testStack();
    const identity = identityWith(stack, SecretRef.variable("pw"));
    accountToken(stack, { identity, resolution: TokenResolution.data() });
    expect(partOf(stack, "terraform.required_version")).toBe(">= 1.10.0");
  });

  test("gives way to an ephemeral variable of the program", () => {
    const stack = testStack();
    ephemeral(stack, "pw", { description: "mine" });
    identityWith(stack, SecretRef.variable("pw"));
    expectNoMistake(stack);
    expect(partOf(stack, "variable.pw.description")).toBe("mine");
  });
});
