import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  Aspects,
  Fn,
  Lazy,
  type TerraformElement,
  TerraformLocal,
  TerraformStack,
  TerraformVariable,
  type TerraformVariableConfig,
} from "cdktf";
import { Construct } from "constructs";
import { SecretRef, StaticTokenRef, TokenResolution } from "../../lib";
import { AnyData, AnyPart } from "./any-token";
import {
  AnyResource,
  accountToken,
  identityIn,
  jsonOf,
  mistakesOf,
  partOf,
  providerBlocksOf,
  testApp,
  testStack,
} from "./support";

/** The secret of an attack; it must be in no file. */
const CANARY = "hunter2-canary";

const [LITERAL, STORED, OTHER] = ["ERR_SECRET_LITERAL", "ERR_SECRET_IN_PLAN", "ERR_OTHER_STACK"];

interface Place {
  readonly stack: TerraformStack;
  readonly other: TerraformStack;
}

function variableIn(
  scope: Construct,
  config: TerraformVariableConfig = {},
  id = "pw",
): TerraformVariable {
  const variable = new TerraformVariable(scope, id, { type: "string", sensitive: true, ...config });
  variable.addOverride("ephemeral", true);
  return variable;
}

function passwordIn(stack: TerraformStack, expression: string): TerraformElement {
  return identityWith(stack, SecretRef.fromTerraform(expression)).node.findChild(
    "Default",
  ) as TerraformElement;
}

function identityWith(scope: Construct, password: SecretRef, id = "identity") {
  return identityIn(scope, id, { serviceUser: { name: "deployer", password } });
}

const stored = (scope: Construct, config: TerraformVariableConfig = {}) =>
  new TerraformVariable(scope, "pw", { type: "string", sensitive: true, ...config });

/** Sane secrets, whose configuration an override changes afterwards. */
const sane = (stack: TerraformStack): TerraformElement =>
  passwordIn(stack, variableIn(stack).stringValue);

const staticToken = (stack: TerraformStack, expression: string, id = "dns") =>
  new StaticTokenRef(stack, id, { source: SecretRef.fromTerraform(expression) });

/** Expressions of `SecretRef.fromTerraform`, with what else the program declares for them. */
const EXPRESSIONS: readonly (readonly [string, string, (place: Place) => string])[] = [
  ["a lazy literal", LITERAL, () => Lazy.stringValue({ produce: () => CANARY })],
  ["an escaped template", LITERAL, () => `$\${${CANARY}}`],
  [
    "a string around an expression",
    LITERAL,
    ({ stack }) => `${CANARY}${variableIn(stack).stringValue}`,
  ],
  ["two expressions", LITERAL, ({ stack }) => `${variableIn(stack).stringValue}\${"${CANARY}"}`],
  ["a quoted literal", LITERAL, () => `\${"${CANARY}"}`],
  ["a literal in a function", LITERAL, () => `\${sensitive("${CANARY}")}`],
  ["a function of the CDK", LITERAL, () => Fn.sensitive(CANARY) as unknown as string],
  ["a quoted string that looks like a reference", LITERAL, () => `\${"var.${CANARY}"}`],
  ["a backslash before a quote", LITERAL, () => `\${"\\"x.${CANARY}"}`],
  ["a quote without an end", LITERAL, () => `\${"x.${CANARY}}`],
  [
    "a template in an expression",
    LITERAL,
    ({ stack }) => `\${"${CANARY}\${${variableIn(stack).fqn}}"}`,
  ],
  [
    "a directive",
    LITERAL,
    ({ stack }) => `%{ if ${variableIn(stack).fqn} != "" }${CANARY}%{ endif }`,
  ],
  ["a here document", LITERAL, () => `\${<<X\n${CANARY}\nX\n}`],
  ["an object", LITERAL, ({ stack }) => `\${{a = "${CANARY}", b = ${variableIn(stack).fqn}}["a"]}`],
  ["a comment", LITERAL, ({ stack }) => `\${${variableIn(stack).fqn} /* ${CANARY} */}`],
  [
    "a comment to the end of a line",
    LITERAL,
    ({ stack }) => `\${(${variableIn(stack).fqn} # ${CANARY}\n)}`,
  ],
  [
    "a comment within a reference",
    LITERAL,
    ({ stack }) => `\${var/**/.${stored(stack, { default: CANARY }).friendlyUniqueId}}`,
  ],
  ["a number", LITERAL, () => "${1234567.5}"],
  ["a folder", LITERAL, () => `\${"\${path.root}/${CANARY}"}`],
  [
    "the name of the workspace",
    LITERAL,
    () => `\${terraform.workspace == "" ? "${CANARY}" : "${CANARY}"}`,
  ],
  ["a list", LITERAL, () => Lazy.anyValue({ produce: () => [CANARY] }) as unknown as string],
  [
    "a local value with a literal",
    LITERAL,
    ({ stack }) => new TerraformLocal(stack, "l", CANARY).asString,
  ],
  [
    "a local value with the secret's variable",
    LITERAL,
    ({ stack }) => new TerraformLocal(stack, "l", variableIn(stack).stringValue).asString,
  ],
  [
    "a local value by hand",
    LITERAL,
    ({ stack }) => {
      stack.addOverride("locals.l", CANARY);
      return "${local . l}";
    },
  ],
  [
    "a local value in a function",
    LITERAL,
    ({ stack }) => {
      stack.addOverride("locals.l", CANARY);
      return "${trimspace(local.l)}";
    },
  ],
  [
    "3,000 local values in a chain",
    LITERAL,
    ({ stack }) => {
      let last = CANARY;
      for (let at = 0; at < 3_000; at++) last = new TerraformLocal(stack, `l${at}`, last).asString;
      return last;
    },
  ],
  [
    "a variable with a default",
    LITERAL,
    ({ stack }) => variableIn(stack, { default: CANARY }).stringValue,
  ],
  [
    "a variable with a lazy default",
    LITERAL,
    ({ stack }) =>
      variableIn(stack, { default: Lazy.stringValue({ produce: () => CANARY }) }).stringValue,
  ],
  [
    "a variable with a default by an override of the stack",
    LITERAL,
    ({ stack }) => {
      stack.addOverride("variable.pw.default", CANARY);
      return variableIn(stack).stringValue;
    },
  ],
  [
    "a variable with a default in a second declaration",
    LITERAL,
    ({ stack }) => {
      new AnyPart(stack, "part", { variable: [{ pw: [{ default: CANARY }] }] });
      return variableIn(stack).stringValue;
    },
  ],
  ["a variable that is stored", STORED, ({ stack }) => stored(stack).stringValue],
  ["the same by hand, with blanks", STORED, ({ stack }) => stored(stack).fqn && "${(var\n . pw)}"],
  ["the same in a function", STORED, ({ stack }) => Fn.trimspace(stored(stack).stringValue)],
  [
    "the same as a condition",
    STORED,
    ({ stack }) => `\${${stored(stack).fqn} == "a" ? ephemeral.x.y.z : ephemeral.x.b.z}`,
  ],
  [
    "the same in a sub-scope",
    STORED,
    ({ stack }) => stored(new Construct(stack, "sub")).stringValue,
  ],
  [
    "the second of two variables",
    STORED,
    ({ stack }) => `\${coalesce(${variableIn(stack, {}, "a").fqn}, ${stored(stack).fqn})}`,
  ],
  [
    "a variable that is ephemeral in one of its declarations",
    STORED,
    ({ stack }) => {
      stack.addOverride("variable.pw.ephemeral", false);
      return variableIn(stack).stringValue;
    },
  ],
  ["a variable that the program does not declare", STORED, () => "${var.elsewhere}"],
  [
    "a variable with a name like another's",
    STORED,
    ({ stack }) => `\${var.${variableIn(stack).friendlyUniqueId}é}`,
  ],
  [
    "40,000 terms",
    STORED,
    ({ stack }) => stored(stack).fqn && `\${${Array(40_000).fill("var.pw").join(" + ")}}`,
  ],
  [
    "an attribute of another stack",
    OTHER,
    ({ other }) => new AnyResource(other, "r", { v: CANARY }).getStringAttribute("v"),
  ],
  [
    "a local value with an attribute of another stack",
    OTHER,
    ({ other }) =>
      new TerraformLocal(other, "l", new AnyData(other, "d", { v: CANARY }).getStringAttribute("v"))
        .asString,
  ],
  ["a token of another stack", OTHER, ({ other }) => accountToken(other, {}, "t").value],
];

/** Changes of a configuration whose secrets were fine. */
const OVERRIDES: readonly (readonly [string, string, (place: Place) => unknown])[] = [
  [
    "the password by an override of the stack",
    LITERAL,
    ({ stack }) => sane(stack) && stack.addOverride("provider.iam.0.password", CANARY),
  ],
  [
    "the block by an override of the stack",
    LITERAL,
    ({ stack }) => sane(stack) && stack.addOverride("provider.iam.1", { password: CANARY }),
  ],
  [
    "all blocks by an override of the stack",
    LITERAL,
    ({ stack }) =>
      sane(stack) && stack.addOverride("provider", { iam: [{ alias: "x", oidc_token: [CANARY] }] }),
  ],
  [
    "the password by an override of the block",
    LITERAL,
    ({ stack }) => sane(stack).addOverride("password", CANARY),
  ],
  [
    "a lazy override",
    LITERAL,
    ({ stack }) => sane(stack).addOverride("password", Lazy.stringValue({ produce: () => CANARY })),
  ],
  [
    "an aspect",
    LITERAL,
    ({ stack }) => {
      const block = sane(stack);
      Aspects.of(stack).add({
        visit: (node) =>
          node === block && block.addOverride("application_credential_secret", CANARY),
      });
    },
  ],
  [
    "an override with a variable that is stored",
    STORED,
    ({ stack }) => {
      new TerraformVariable(stack, "kept", {});
      sane(stack).addOverride("password", "${var.kept}");
    },
  ],
  [
    "a block of ours in an element of the program",
    LITERAL,
    ({ stack }) => {
      sane(stack);
      new AnyPart(stack, "part", { provider: { iam: [{ alias: "mine", password: CANARY }] } });
    },
  ],
  [
    "a static token by an override",
    LITERAL,
    ({ stack }) => {
      staticToken(stack, variableIn(stack).stringValue);
      stack.addOverride("ephemeral.iam_static_token.dns.value", CANARY);
    },
  ],
  [
    "a static token by an override of its block",
    LITERAL,
    ({ stack }) =>
      (
        staticToken(stack, variableIn(stack).stringValue).node.findChild(
          "Default",
        ) as TerraformElement
      ).addOverride("value", CANARY),
  ],
  [
    "a static token from a variable that is stored",
    STORED,
    ({ stack }) => staticToken(stack, stored(stack).stringValue),
  ],
  [
    "SecretRef.variable, which the program declares itself, with a default",
    LITERAL,
    ({ stack }) => {
      variableIn(stack, { default: CANARY });
      identityWith(stack, SecretRef.variable("pw"));
    },
  ],
  [
    "SecretRef.variable, which the program declares itself, stored",
    STORED,
    ({ stack }) => {
      stored(stack);
      identityWith(stack, SecretRef.variable("pw"));
    },
  ],
  [
    "SecretRef.variable, with a default by an override",
    LITERAL,
    ({ stack }) => {
      identityWith(stack, SecretRef.variable("pw"));
      stack.addOverride("variable.pw.default", CANARY);
    },
  ],
];

const TRIES = [
  ...EXPRESSIONS.map(([what, code, expression]) => ({
    what,
    code,
    declare: (place: Place) => passwordIn(place.stack, expression(place)),
  })),
  ...OVERRIDES.map(([what, code, declare]) => ({ what, code, declare })),
];

test.each(TRIES)("$what: $code, and nothing of it is written", ({ code, declare }) => {
  const app = testApp();
  const [stack, other] = [new TerraformStack(app, "stack"), new TerraformStack(app, "zother")];
  declare({ stack, other });
  const message = String(errorOf(() => app.synth()));
  expect(message).toContain(`[${code}]`);
  expect(message).toMatch(
    /serviceUser\.password|applicationCredential\.secret|federation\.token|source|t is used in/,
  );
  expect(message).not.toContain(CANARY);
  const written = join(app.outdir, "stacks", "stack");
  const files = existsSync(written) ? readdirSync(written) : [];
  expect(files.filter((file) => file === "cdk.tf.json")).toEqual([]);
});

function errorOf(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("There was no error.");
}

test("without validations, an expression that is none is in no file either", () => {
  for (const [, code, expression] of EXPRESSIONS.slice(0, 21)) {
    const stack = testStack();
    expect(code).toBe(LITERAL);
    passwordIn(stack, expression({ stack, other: stack }));
    expect(JSON.stringify(providerBlocksOf(stack))).not.toContain('"password"');
  }
});

/** What keeps the secret out of files, plans and states. */
const ACCEPTED: readonly (readonly [string, (stack: TerraformStack) => string])[] = [
  ["an ephemeral variable", (stack) => variableIn(stack).stringValue],
  [
    "one that is ephemeral by an override of the stack",
    (stack) => {
      stack.addOverride("variable.pw.ephemeral", true);
      return stored(stack).stringValue;
    },
  ],
  ["another ephemeral resource", () => "${ephemeral.vault_kv.x.data}"],
  [
    "an element of it, by functions",
    () => '${trimspace(jsondecode(ephemeral.aws.x.secret_string)["local.pass"])}',
  ],
  ["an ephemeral variable in a list", (stack) => `\${element([${variableIn(stack).fqn}], 0)}`],
  [
    "a lazy value",
    (stack) => {
      const variable = variableIn(stack);
      return Lazy.stringValue({ produce: () => variable.stringValue });
    },
  ],
  ["an attribute with the name of a root", () => "${ephemeral.x.y.var.local}"],
  [
    "a resource, which has it in its state",
    (stack) => new AnyResource(stack, "r", {}).getStringAttribute("v"),
  ],
];

test.each(ACCEPTED)("%s is accepted", (_what, expression) => {
  const stack = testStack();
  passwordIn(stack, expression(stack));
  expect(mistakesOf(stack)).toEqual([]);
  expect(JSON.stringify(providerBlocksOf(stack))).toContain(`"password":"${"$"}{`);
});

test("the errors name the variable, where it is declared, and the way", () => {
  const stack = testStack();
  passwordIn(stack, stored(stack).stringValue);
  expect(mistakesOf(stack)).toEqual([
    "[stack/identity] serviceUser.password comes from the variable pw (stack/pw), which is not ephemeral: " +
      "saved plans contain its value in clear text, even if it is sensitive. " +
      'Use SecretRef.variable("pw"), which declares an ephemeral variable, instead of a declaration of your own. ' +
      'Or add ephemeral = true to yours: variable.addOverride("ephemeral", true). [ERR_SECRET_IN_PLAN]',
  ]);
  const literal = testStack();
  sane(literal);
  literal.addOverride("provider.iam.0.password", CANARY);
  expect(mistakesOf(literal)).toEqual([
    expect.stringMatching(
      /^\[stack\] serviceUser\.password \(in a part of stack\) is not exactly one Terraform expression \(the value is not repeated here\)\..*\[ERR_SECRET_LITERAL\]$/,
    ),
  ]);
});

describe("SecretRef.variable", () => {
  test("declares an ephemeral variable, once for all uses", () => {
    const stack = testStack();
    identityWith(stack, SecretRef.variable("pw"));
    identityWith(new Construct(stack, "room"), SecretRef.variable("pw"));
    new StaticTokenRef(stack, "dns", { source: SecretRef.variable("token") });
    expect(mistakesOf(stack)).toEqual([]);
    const { variable, ephemeral, terraform } = jsonOf(stack);
    expect(variable).toEqual({
      pw: { type: "string", sensitive: true, ephemeral: true },
      token: { type: "string", sensitive: true, ephemeral: true },
    });
    expect(providerBlocksOf(stack).filter(({ password }) => password === "${var.pw}")).toHaveLength(
      2,
    );
    expect(ephemeral).toHaveProperty("iam_static_token.dns.value", "${var.token}");
    expect(terraform).toHaveProperty("required_version", ">= 1.10.0");
  });

  test("needs Terraform 1.10 even for tokens of data sources alone", () => {
    const stack = testStack();
    const identity = identityWith(stack, SecretRef.variable("pw"));
    accountToken(stack, { identity, resolution: TokenResolution.DATA });
    expect(partOf(stack, "terraform.required_version")).toBe(">= 1.10.0");
  });

  test("is declared again in the stack of a reopened service", () => {
    const app = testApp();
    const [a, b] = [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
    accountToken(b, { identity: identityWith(a, SecretRef.variable("pw")).reopenIn(b) });
    expect(mistakesOf(b)).toEqual([]);
    expect(partOf(b, "variable.pw.ephemeral")).toBe(true);
  });

  test("gives way to an ephemeral variable of the program", () => {
    const stack = testStack();
    variableIn(stack, { description: "mine" });
    identityWith(stack, SecretRef.variable("pw"));
    expect(mistakesOf(stack)).toEqual([]);
    expect(partOf(stack, "variable.pw.description")).toBe("mine");
  });
});
