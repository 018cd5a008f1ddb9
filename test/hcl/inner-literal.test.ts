import {
  DefaultTokenResolver,
  Fn,
  StringConcat,
  TerraformStack,
  TerraformVariable,
  Tokenization,
} from "cdktf";
import fc from "fast-check";
import { innerLiteral } from "../../lib/hcl/inner-literal";
import { isSingleExpression } from "../../lib/hcl/single-expression";
import { testApp } from "../constructs/support";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";

test.each([
  ["var.password"],
  ["ephemeral.vault_kv_secret_v2.db.data.password"],
  ['data.x.y.data["password"]'],
  ['var.secrets["database"]["password"]'],
  ['local.secrets["${var.stage}-password"]'],
  ["random_password.x[0].result"],
  ['module.vault.secrets.*.value["primary"]'],
  ['jsondecode(ephemeral.aws_secretsmanager_secret_version.x.secret_string)["password"]'],
  ['jsondecode(file("${path.module}/secrets/database.json")).password'],
  ['trimspace(file("/run/secrets/password"))'],
  ['lookup(var.secrets, "password")'],
  ['lookup(var.secrets, "password", "")'],
  ['lookup(var.secrets, "password", var.fallback)'],
  ["coalesce(var.password, var.fallback)"],
  ['try(var.secrets["password"], null)'],
  ['try(var.password, "")'],
  ['split(":", var.login)[1]'],
  ['split(" at ", var.login)[1]'],
  ['element(split(":::", var.login), 1)'],
  ['join("-", [var.first, var.second])'],
  ['format("%s%s", var.first, var.second)'],
  ['format("%[2]s-%[1]s", var.first, var.second)'],
  ['format("${var.prefix}%s", var.first)'],
  ["format(var.format, var.first)"],
  ['"${var.first}${var.second}"'],
  ['"${var.first}-${var.second}"'],
  ['replace(var.password, "\\r\\n", "\\n")'],
  ['trimprefix(var.header, "Bearer ")'],
  ['regex("password=(.*)", var.text)[0]'],
  ['textdecodebase64(var.password, "UTF-16LE")'],
  ["substr(var.password, 0, 128)"],
  ['terraform.workspace == "production" ? var.a : var.b'],
  ['"production" == terraform.workspace ? var.a : var.b'],
  ['"production"\n  == terraform.workspace ? var.a : var.b'],
  ['"${"production"\n  == terraform.workspace ? var.a : var.b}"'],
  ['split(\n  ":::",\n  var.login\n)[1]'],
  ['contains(["production", "staging"], var.stage) ? var.a : var.b'],
  ['var.stage != "production" && startswith(var.stage, "prod") ? var.a : var.b'],
  ['var.a == "first" ? var.x : var.a == "second" ? var.y : var.z'],
  ["{ production = var.a, staging = var.b }[var.stage]"],
  ['{"production" = var.a, "staging": var.b}["production"]'],
  ['{\n  "production" = var.a\n  (var.stage) = var.b\n}[terraform.workspace]'],
  ['{\n  "production" = var.a\n  "staging" = var.b\n}[terraform.workspace]'],
  ['[var.stage\n  == "production", "production"\n  != var.stage][0]'],
  ['["production"][0] == var.stage ? var.a : var.b'],
  ['[for secret in var.secrets : secret if ["production"][0] == secret.stage]'],
  ['{ for name, secret in var.secrets : "${name}-secret" => secret }["database-secret"]'],
  ['[for secret in var.secrets : "production" == var.stage ? secret.a : secret.b][0]'],
  ['{ for secret in var.secrets : "${secret.name}-x" => secret.a ? var.a : var.b }["k"]'],
  ['[for secret in var.secrets : secret.value if upper("database") == secret.name][0]'],
  ['one([for secret in var.secrets : secret.value if secret.name == "database"])'],
  ['zipmap(["user", "password"], split(":", var.login))["password"]'],
  ['provider::vault::read("database/password")'],
  ['core::lookup(var.secrets, "password")'],
  ['rsadecrypt("Y2lwaGVydGV4dA==", file("key.pem"))'],
  ['"%{ if var.stage == "production" }${var.a}%{ else }${var.b}%{ endif }"'],
])("%s has no literal", (expression) => expect(innerLiteral(expression)).toBeUndefined());

test.each([
  ['coalesce(var.password, "hunter2")', "the arguments of coalesce(…)"],
  ['coalesce(var.password, "${"hunter2"}")', "a template"],
  ['coalesce("hunter2", var.password)', "the arguments of coalesce(…)"],
  ["coalesce(var.pin, 123456)", "the arguments of coalesce(…)"],
  ['try(var.password, "hunter2")', "the arguments of try(…)"],
  ['try(nonsensitive(var.password), "hunter2")', "the arguments of try(…)"],
  ['lookup(var.secrets, "password", "hunter2")', "the arguments of lookup(…)"],
  ['core::lookup(var.secrets, "password", "hunter2")', "the arguments of lookup(…)"],
  ['var.password != "" ? var.password : "hunter2"', "the expression itself"],
  ['var.password == "" ? "hunter2" : var.password', "the expression itself"],
  ['var.a == "first" ? var.x : var.a == "second" ? "hunter2" : var.z', "the expression itself"],
  ['{ production = var.a, staging = "hunter2" }[var.stage]', "the expression itself"],
  ['{ "production": var.a, "staging": "hunter2" }[var.stage]', "the expression itself"],
  ['"if" == var.word ? "hunter2" : var.x', "the expression itself"],
  ['{ a = var.x == "" ? "hunter2" : var.x }.a', "the expression itself"],
  ['[var.password, "hunter2"][0]', "the expression itself"],
  ['element(concat(var.passwords, ["hunter2"]), 0)', "the arguments of concat(…)"],
  ['merge(var.secrets, { password = "hunter2" })["password"]', "the arguments of merge(…)"],
  ['"hunter2${var.suffix}"', "the expression itself"],
  ['"h${var.a}u${var.b}n${var.c}t"', "the expression itself"],
  ['"$${hunter2}${var.suffix}"', "the expression itself"],
  ['"a\\"bcd${var.suffix}"', "the expression itself"],
  ['join("", [var.prefix, "hunter2"])', "the arguments of join(…)"],
  ['format("hunter2%s", var.suffix)', "the arguments of format(…)"],
  ['format("%s%s", var.prefix, "hunter2")', "the arguments of format(…)"],
  ['format("%s", "%s%s")', "the arguments of format(…)"],
  ['upper("%s%s")', "the arguments of upper(…)"],
  ['format(var.format, "hunter2")', "the arguments of format(…)"],
  ['other::core::file("hunter2")', "the arguments of other::core::file(…)"],
  ['{ "a" + "hunter2" }', "the expression itself"],
  ['replace(var.password, "/.*/", "hunter2")', "the arguments of replace(…)"],
  ['coalesce(var.password, base64decode("aHVudGVyMg=="))', "the arguments of base64decode(…)"],
  [
    'jsondecode("{\\"password\\": \\"hunter2\\", \\"x\\": \\"${var.x}\\"}").password',
    "the arguments of jsondecode(…)",
  ],
  [
    '[for secret in concat(var.secrets, ["hunter2"]) : secret if secret != ""][0]',
    "the arguments of concat(…)",
  ],
  ['{ for name, secret in var.secrets : name => "hunter2" }[var.x]', "the expression itself"],
  ['[for s in var.secrets : "hunter2" if s.a ? true : false][0]', "the expression itself"],
  ['[for s in ["hunter2"] : s == "none" ? var.x : s][0]', "the expression itself"],
  ['"%{ if var.a }${var.x}%{ else }hunter2%{ endif }"', "the expression itself"],
  ['(var.password != "" ? var.password : ("hunter2"))', "the expression itself"],
])("%s has one", (expression, where) => expect(innerLiteral(expression)).toBe(where));

const LONG = '"hunter2"';
test.each([
  `can(${LONG})`,
  `contains(var.a, ${LONG})`,
  `element(var.a, 123)`,
  `endswith(var.a, ${LONG})`,
  `file(${LONG})`,
  `filebase64(${LONG})`,
  `fileexists(${LONG})`,
  `index(var.a, ${LONG})`,
  `join(${LONG}, var.a)`,
  `length(${LONG})`,
  `lookup(var.a, ${LONG})`,
  `matchkeys(var.a, [${LONG}], [${LONG}])`,
  `parseint(var.a, 123)`,
  `regex(${LONG}, var.a)`,
  `regexall(${LONG}, var.a)`,
  `replace(var.a, ${LONG}, var.b)`,
  `rsadecrypt(${LONG}, var.a)`,
  `slice(var.a, 123, 456)`,
  `split(${LONG}, var.a)`,
  `startswith(var.a, ${LONG})`,
  `strcontains(var.a, ${LONG})`,
  `substr(var.a, 123, 456)`,
  `templatefile(${LONG}, var.a)`,
  `textdecodebase64(var.a, ${LONG})`,
  `textencodebase64(var.a, ${LONG})`,
  `trim(var.a, ${LONG})`,
  `trimprefix(var.a, ${LONG})`,
  `trimsuffix(var.a, ${LONG})`,
  `zipmap([${LONG}], var.a)`,
])("%s has no literal: it only chooses", (expression) =>
  expect(innerLiteral(expression)).toBeUndefined(),
);

test.each([
  ["element", `element([${LONG}], 0)`],
  ["join", `join("", [${LONG}])`],
  ["lookup", `lookup(var.a, "k", ${LONG})`],
  ["matchkeys", `matchkeys([${LONG}], var.a, var.b)`],
  ["regex", `regex("x", ${LONG})`],
  ["replace", `replace(${LONG}, "x", "y")`],
  ["replace", `replace(var.a, "x", ${LONG})`],
  ["slice", `slice([${LONG}], 0, 1)`],
  ["split", `split("x", ${LONG})`],
  ["substr", `substr(${LONG}, 0, 1)`],
  ["templatefile", `templatefile("x", { a = ${LONG} })`],
  ["trim", `trim(${LONG}, "x")`],
  ["zipmap", `zipmap(["x"], [${LONG}])`],
])("the arguments of %s that are values: %s has one", (name, expression) =>
  expect(innerLiteral(expression)).toBe(`the arguments of ${name}(…)`),
);

test.each(["==", "!=", "<", ">", "<=", ">="])("operands of %s are not a literal", (sign) => {
  expect(innerLiteral(`[var.a ${sign} "hunter2"]`)).toBeUndefined();
  expect(innerLiteral(`["hunter2" ${sign} var.a]`)).toBeUndefined();
});

test.each(["+", "-", "&&", "||"])("operands of %s are a literal", (sign) => {
  expect(innerLiteral(`[var.a ${sign} 12345]`)).toBe("the expression itself");
});

test("up to two characters are harmless, wherever they stand", () => {
  for (const harmless of ['"ab"', "12", '"a${var.x}b"', '"ab${var.x}"', '"\\"\\u0041"'])
    expect([harmless, innerLiteral(harmless)]).toEqual([harmless, undefined]);
  for (const long of ['"abc"', "123", '"a${var.x}b${var.y}c"', "<<E\na\nE\n"])
    expect([long, innerLiteral(long)]).toEqual([long, "the expression itself"]);
});

test.each(["%s", "%-10s", "%+5.2f", "% d", "%#v", "%[2]s", "%*d", "%%", "%s%s%s%s"])(
  "the verbs of %j are replaced",
  (format) => {
    expect(innerLiteral(`format("${format}", var.a)`)).toBeUndefined();
    expect(innerLiteral(`formatlist("${format}", var.a)`)).toBeUndefined();
    expect(innerLiteral(`format("${format}abc", var.a)`)).toBe("the arguments of format(…)");
    expect(innerLiteral(`upper("${format}abc")`)).toBe("the arguments of upper(…)");
  },
);

test.each(["(", "[1", '"a', "}"])("anything in %j, which is not HCL, may be a literal", (text) => {
  expect(innerLiteral(text)).toBe("the expression itself");
});

test.each([
  ['{ "hunter2" }', "the expression itself"],
  ['var.a { "hunter2" }', "the expression itself"],
  ['(var.a)("hunter2")', "the expression itself"],
  ['upper("hunter2": var.a)', "the arguments of upper(…)"],
])("%s, which is no expression of Terraform's, has one", (text, where) => {
  expect(innerLiteral(text)).toBe(where);
});

test.each([
  'var.a["hunter2"]',
  'f(var.a)["hunter2"]',
  '{ a = var.x }["hunter2"]',
  '"${var.x}"["hunter2"]',
  '"in"["hunter2"]',
])("an index is not a literal: %s", (expression) => {
  expect(innerLiteral(expression)).toBeUndefined();
});

test.each([
  ['[for x in ["hunter2"] : x]', "the expression itself"],
  ['[for x in ("hunter2") : x]', "the expression itself"],
  ['"%{ for x in ["hunter2"] }${x}%{ endfor }"', "a template"],
  ['"%{ if var.a }%{ else }${["hunter2"][0]}%{ endif }"', "a template"],
])("a bracket after a keyword of HCL is neither an index nor a call: %s", (expression, where) => {
  expect(innerLiteral(expression)).toBe(where);
});

/** Expressions whose value is, or has in it, what stands at this place. */
const around = (inner: string) =>
  fc.constantFrom(
    `(${inner})`,
    `coalesce(var.a, ${inner})`,
    `try(var.a["k"], ${inner})`,
    `var.a == "first" ? ${inner} : var.b`,
    `var.a != "" ? var.b : ${inner}`,
    `[var.a, ${inner}][1]`,
    `{ first = var.a, (var.b) = ${inner} }[var.c]`,
    `{"first": ${inner}}["first"]`,
    `"\${${inner}}"`,
    `"\${var.a}\${${inner}}"`,
    `lookup(var.a, "key", ${inner})`,
    `join(":::", [var.a, ${inner}])`,
    `replace(${inner}, "from", var.a)`,
    `format("%s", ${inner})`,
    `[for k, v in [${inner}] : v if k != "none"][0]`,
    `[for v in [${inner}] : v == "none" ? var.a : v][0]`,
    `[for v in var.a : ${inner} if v == "none" ? true : false][0]`,
    `core::trimspace(${inner})`,
    `{ for k, v in var.a : "\${k}-x" => ${inner} }[var.b]`,
  );
const nested = (start: fc.Arbitrary<string>) =>
  fc
    .tuple(start, fc.nat({ max: 4 }))
    .chain(([text, depth]) =>
      Array.from({ length: depth }).reduce<fc.Arbitrary<string>>(
        (inner) => inner.chain(around),
        fc.constant(text),
      ),
    );

test("a literal is found however deep it stands, and not repeated", () => {
  const literal = fc.constantFrom(
    '"hunter2"',
    '"${var.x}hunter2"',
    '"${"hunter2"}"',
    "12345",
    '"$${hunter2}"',
    "<<E\nhunter2\nE\n",
  );
  fc.assert(
    fc.property(nested(literal), (expression) => {
      const where = innerLiteral(expression);
      expectOften(where).toMatch(
        /^(the expression itself|a template|the arguments of [a-z]+\(…\))$/,
      );
    }),
    fuzz(2000),
  );
});

test("an expression with only a reference has no literal, and is one expression", () => {
  const reference = fc.constantFrom("var.x", 'local.a["key"]', "each.value", 'file("/a/b")');
  fc.assert(
    fc.property(nested(reference), (expression) => {
      expectOften(innerLiteral(expression)).toBeUndefined();
      expectOften(isSingleExpression(`\${${expression}}`)).toBe(true);
      for (const more of ["", " ", "x", `\${${expression}}`]) {
        expectOften(isSingleExpression(`${more}x\${${expression}}`)).toBe(false);
        expectOften(isSingleExpression(`\${${expression}}${more}x`)).toBe(false);
      }
    }),
    fuzz(2000),
  );
});

test("as cdktf writes them", () => {
  const stack = new TerraformStack(testApp(), "s");
  const password = new TerraformVariable(stack, "password", { type: "string" });
  const secrets = new TerraformVariable(stack, "secrets", { type: "map(string)" });
  const written = (expression: unknown): string => {
    const resolver = new DefaultTokenResolver(new StringConcat());
    return (
      Tokenization.resolve(expression, { scope: stack, resolver, preparing: false }) as string
    ).slice(2, -1);
  };
  for (const harmless of [
    password.stringValue,
    Fn.lookup(secrets.value, "password", ""),
    Fn.lookupNested(secrets.value, ["database", "password"]),
    Fn.element(Fn.split(" at ", password.stringValue), 1),
    Fn.coalesce([password.stringValue, secrets.value]),
    Fn.conditional(Fn.contains(["production"], password.stringValue), password.stringValue, null),
  ])
    expect([written(harmless), innerLiteral(written(harmless))]).toEqual([
      written(harmless),
      undefined,
    ]);
  for (const literal of [
    Fn.coalesce([password.stringValue, "hunter2"]),
    Fn.lookup(secrets.value, "password", "hunter2"),
    Fn.try([password.stringValue, 'hun"ter2']),
    Fn.conditional(password.stringValue, password.stringValue, "hunter2"),
    Fn.join("", [password.stringValue, "hunter2"]),
    Fn.coalesce([password.stringValue, Fn.jsonencode({ a: "hunter2" })]),
  ])
    expect([written(literal), innerLiteral(written(literal))]).not.toEqual([
      written(literal),
      undefined,
    ]);
});
