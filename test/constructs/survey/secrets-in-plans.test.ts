import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Fn,
  Lazy,
  propertyAccess,
  TerraformLocal,
  TerraformStack,
  TerraformVariable,
  type TerraformVariableConfig,
} from "cdktf";
import { Construct } from "constructs";
import { SecretRef, StaticTokenRef } from "../../../lib";
import {
  accountToken,
  identityIn,
  jsonOf,
  mistakesOf,
  partOf,
  providerBlocksOf,
  testApp,
  testStack,
} from "../support";

const SENSITIVE: TerraformVariableConfig = { type: "string", sensitive: true };

function variableIn(scope: Construct, id = "pw", ephemeral = false): TerraformVariable {
  const variable = new TerraformVariable(scope, id, SENSITIVE);
  if (ephemeral) variable.addOverride("ephemeral", true);
  return variable;
}

function identityWith(scope: Construct, password: SecretRef, id = "identity") {
  return identityIn(scope, id, { serviceUser: { name: "deployer", password } });
}

test("a password from a variable that is not ephemeral is refused, with the place and the remedy", () => {
  const stack = testStack();
  identityWith(stack, SecretRef.fromTerraform(variableIn(stack).stringValue));
  expect(mistakesOf(stack)).toEqual([
    "[stack/identity] serviceUser.password comes from the variable pw (stack/pw), which is not ephemeral: " +
      "saved plans contain its value in clear text, even if it is sensitive. " +
      'Use SecretRef.variable("pw") instead of that declaration: it declares an ephemeral variable. ' +
      'Or add ephemeral = true to it: variable.addOverride("ephemeral", true). [ERR_SECRET_IN_PLAN]',
  ]);
});

test("so is a static token", () => {
  const stack = testStack();
  const source = SecretRef.fromTerraform(variableIn(stack).stringValue);
  new StaticTokenRef(stack, "dns", { source });
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(/^\[stack\/dns\] source comes from .* pw \(stack\/pw\).*IN_PLAN\]$/),
  ]);
});

/** Ways from a variable to a secret; test/hcl/inner-references has those inside an expression. */
const WAYS: readonly (readonly [string, (stack: TerraformStack) => string])[] = [
  ["a reference written by hand", (stack) => variableIn(stack).fqn && "${var.pw}"],
  ["a function", (stack) => Fn.trimspace(variableIn(stack).stringValue)],
  ["a part", (stack) => `\${join("", [ephemeral.x.y.z, ${variableIn(stack).fqn}])}`],
  ["a sub-scope", (stack) => variableIn(new Construct(stack, "sub")).stringValue],
  [
    "a lazy value",
    (stack) => {
      const variable = variableIn(stack);
      return Lazy.stringValue({ produce: () => variable.stringValue });
    },
  ],
  [
    "a declaration by an override",
    (stack) => {
      stack.addOverride("variable.pw", { type: "string" });
      return "${var.pw}";
    },
  ],
  [
    "a local value",
    (stack) => new TerraformLocal(stack, "l", variableIn(stack).stringValue).asString,
  ],
  [
    "a local value of a local value",
    (stack) => {
      const first = new TerraformLocal(stack, "first", variableIn(stack).stringValue);
      return new TerraformLocal(stack, "second", Fn.upper(first.asString)).asString;
    },
  ],
  [
    "a property of a local value",
    (stack) => {
      const local = new TerraformLocal(stack, "l", { a: { pw: variableIn(stack).stringValue } });
      return propertyAccess(local.expression, ["a", "pw"]) as unknown as string;
    },
  ],
  [
    "a part of a property",
    (stack) => {
      stack.addOverride("locals.l", { a: { pw: variableIn(stack).stringValue } });
      return "${jsonencode(local.l.a)}";
    },
  ],
  [
    "a list next to other values, with a property that it does not have",
    (stack) => {
      stack.addOverride("locals.l", [7, null, true, [variableIn(stack).stringValue]]);
      return "${local.l.a}";
    },
  ],
  [
    "a value next to one without a name",
    (stack) => {
      stack.addOverride("locals.l", { "": "x", b: variableIn(stack).stringValue });
      return "${values(local.l)[1]}";
    },
  ],
  [
    "a second property of a local value",
    (stack) => {
      stack.addOverride("locals.l", { a: "${ephemeral.x.y.z}", b: variableIn(stack).stringValue });
      return "${coalesce(local.l.a, local.l.b)}";
    },
  ],
  [
    "a text in a local value",
    (stack) => new TerraformLocal(stack, "l", `x${variableIn(stack).stringValue}`).asString,
  ],
  [
    "a local value by an override",
    (stack) => {
      variableIn(stack);
      stack.addOverride("locals.l", "${var.pw}");
      return "${local.l}";
    },
  ],
  [
    "a circle of local values",
    (stack) => {
      stack.addOverride("locals", { a: "${local.b}", b: "${coalesce(local.a, var.pw)}" });
      variableIn(stack);
      return "${local.a}";
    },
  ],
];

test.each(WAYS)("through %s as well", (_way, expression) => {
  const stack = testStack();
  identityWith(stack, SecretRef.fromTerraform(expression(stack)));
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(/^\[stack\/identity\] .*\[ERR_SECRET_IN_PLAN\]$/),
  ]);
});

test("a local value on the way is named", () => {
  const stack = testStack();
  const local = new TerraformLocal(stack, "secret", variableIn(stack).stringValue);
  identityWith(stack, SecretRef.fromTerraform(local.asString));
  expect(mistakesOf(stack)[0]).toContain("pw (stack/pw), through the local value secret, which");
});

/** What does not store the secret in a plan. */
const ACCEPTED: readonly (readonly [string, (stack: TerraformStack) => string])[] = [
  ["an ephemeral variable", (stack) => variableIn(stack, "pw", true).stringValue],
  [
    "one that is ephemeral by an override of the stack",
    (stack) => {
      stack.addOverride("variable.pw.ephemeral", true);
      return variableIn(stack).stringValue;
    },
  ],
  [
    "one that an override of the stack leaves ephemeral",
    (stack) => {
      stack.addOverride("variable.pw.description", "mine");
      return variableIn(stack, "pw", true).stringValue;
    },
  ],
  ["a variable that the program does not declare", () => "${var.elsewhere}"],
  ["another ephemeral resource", () => "${ephemeral.vault_kv.x.data}"],
  [
    "one of a type with the name of a variable or of a local value",
    (stack) => {
      stack.addOverride("locals.l", variableIn(stack).stringValue);
      return "${coalesce(ephemeral.pw.x.y, ephemeral.l.x.y)}";
    },
  ],
  [
    "a string that only looks like a reference",
    (stack) => {
      stack.addOverride("locals.l", `see ${variableIn(stack).fqn}`.replace(/[${}]/g, ""));
      return "${local.l}";
    },
  ],
  [
    "a variable that only selects",
    (stack) => `\${${variableIn(stack, "stage").fqn} == "a" ? ephemeral.x.y.z : ephemeral.x.b.z}`,
  ],
  [
    "another property of a local value",
    (stack) => {
      const given = { stage: variableIn(stack, "stage").stringValue, pw: "${ephemeral.x.y.z}" };
      const local = new TerraformLocal(stack, "l", given);
      return propertyAccess(local.expression, ["pw"]) as unknown as string;
    },
  ],
  [
    "another item of a local value",
    (stack) => {
      stack.addOverride("locals.l", ["${ephemeral.x.y.z}", variableIn(stack).stringValue]);
      return "${local.l.0}";
    },
  ],
];

test.each(ACCEPTED)("%s is accepted", (_what, expression) => {
  const stack = testStack();
  identityWith(stack, SecretRef.fromTerraform(expression(stack)));
  expect(mistakesOf(stack)).toEqual([]);
});

test("an override file in the stack's folder counts, as Terraform merges it", () => {
  const app = testApp();
  const stack = new TerraformStack(app, "stack");
  identityWith(stack, SecretRef.fromTerraform(variableIn(stack).stringValue));
  const folder = join(app.outdir, "stacks", "stack");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "pw.tf"), 'variable "pw" {\n  ephemeral = true\n}\n');
  expect(mistakesOf(stack)).toHaveLength(1);
  writeFileSync(join(folder, "pw_override.tf"), 'variable "pw" {\n  ephemeral = true\n}\n');
  expect(mistakesOf(stack)).toEqual([]);
});

test("SecretRef.variable declares an ephemeral variable, once for all uses", () => {
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

test("a stack with tokens of data sources alone needs Terraform 1.10 for it, too", () => {
  const stack = testStack();
  identityWith(stack, SecretRef.variable("pw"));
  expect(partOf(stack, "terraform.required_version")).toBe(">= 1.10.0");
});

test("a reopened service declares the variable in its stack", () => {
  const app = testApp();
  const [a, b] = [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
  const there = identityWith(a, SecretRef.variable("pw")).reopenIn(b);
  accountToken(b, { identity: there });
  expect(mistakesOf(b)).toEqual([]);
  expect(partOf(b, "variable.pw.ephemeral")).toBe(true);
});

test("an ephemeral variable of the program takes its place, any other is refused", () => {
  const [good, bad] = [testStack(), testStack()];
  new TerraformVariable(good, "pw", { ...SENSITIVE, description: "mine" }).addOverride(
    "ephemeral",
    true,
  );
  variableIn(bad);
  for (const stack of [good, bad]) identityWith(stack, SecretRef.variable("pw"));
  expect(mistakesOf(good)).toEqual([]);
  expect(partOf(good, "variable.pw.description")).toBe("mine");
  expect(mistakesOf(bad)).toEqual([
    expect.stringMatching(/pw \(stack\/pw\), which is not ephemeral.*Remove that declaration: /),
  ]);
});

test.each(["source", "version", "for_each", "1st", "a b", "p@ss", "", 5])(
  "%j is no variable's name, and is not repeated",
  (name) => {
    const stack = testStack();
    identityWith(stack, SecretRef.variable(name as string));
    expect(mistakesOf(stack)).toEqual([
      expect.stringMatching(
        /serviceUser\.password is SecretRef\.variable with an invalid name \(not repeated here\)\..*\[ERR_PROP_INVALID\]$/,
      ),
    ]);
    expect(jsonOf(stack)).not.toHaveProperty("variable");
  },
);
