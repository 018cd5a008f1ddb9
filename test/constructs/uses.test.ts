import {
  App,
  Aspects,
  Fn,
  Lazy,
  TerraformHclModule,
  TerraformIterator,
  TerraformLocal,
  TerraformOutput,
  type TerraformStack,
} from "cdktf";
import {
  IdentityService,
  resolveTokens,
  ServiceUserToken,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { namesOf } from "../../lib/constructs/warnings";
import { usesTable } from "../support/uses-table";
import {
  accountToken,
  annotationsOf,
  anyData,
  anyProvider,
  anyResource,
  identityIn,
  mistakesOf,
  partOf,
  stacksOf,
  testStack,
} from "./support";

type Declare = (stack: TerraformStack, token: ServiceUserToken, other: TerraformStack) => unknown;

/** A use at a place of the configuration. */
const at =
  (path: string, use: (token: ServiceUserToken) => unknown = (token) => token.value) =>
  (stack: TerraformStack, token: ServiceUserToken) =>
    stack.addOverride(path, use(token));

const lazily = (text: string) => Lazy.stringValue({ produce: () => text });

/**
 * The uses of docs/using-tokens.md, as a program declares them, each by what is declared; more than
 * one way for some.
 */
const DECLARED: Readonly<Record<string, Readonly<Record<string, Declare>>>> = {
  "provider block": {
    "the expiry": (stack, token) => anyProvider(stack, { until: token.expiresAt }),
  },
  "write-only argument": {
    "the value": (stack, token) => anyResource(stack, "r", { secret_wo: token.value }),
  },
  provisioner: {
    "the environment": at("resource.any.r.provisioner.0.local-exec", (token) => ({
      command: "true",
      environment: token.environment("API"),
    })),
  },
  "module input": { "the value": at("module.m.token") },
  "stored argument": { "the value": at("resource.any.r.triggers.t") },
  "other argument": {
    "the headers, in a list": at("resource.any.r.list", (token) => [token.headers]),
  },
  "argument of a data source": {
    "the value": (stack, token) => anyData(stack, "d", { query: token.value }),
    "the value, within a check": at("check.any.data.any.some.q"),
    "a name that begins with provider": at("data.any.some.provider_id"),
    "a name that begins with count": at("data.any.some.count_limit"),
    "a block within it, by an override": (stack, token) =>
      anyData(stack, "d", {}).addOverride("filter", [{ v: token.value }]),
  },
  output: {
    "the value, as sensitive": (stack, token) =>
      new TerraformOutput(stack, "o", { value: token.value, sensitive: true }),
    "the value in a function": (stack, token) =>
      new TerraformOutput(stack, "o", { value: Fn.upper(token.value) }),
    "the value within a text": at("output.some.value", (token) => `x${token.value}`),
    "the value, lazily": at("output.o.value", (token) => lazily(token.value)),
    "the headers": at("output.o.value", (token) => token.headers),
    "the value in an object": at("output.o.value", (token) => ({ token: token.value })),
    "the value in a list": at("output.o.value", (token) => [token.value]),
  },
  "`count`, `for_each`": {
    "the length": at("resource.any.r.count", (token) => Fn.lengthOf(token.value)),
    "a map of a resource": (stack, token) =>
      anyResource(stack, "r", {}, { forEach: TerraformIterator.fromMap({ a: token.value }) }),
    "a list of a module": (stack, token) =>
      new TerraformHclModule(stack, "m", {
        source: "a/b/c",
        forEach: TerraformIterator.fromList([token.value]),
      }),
  },
  "other stack": {
    "a provider block": (_stack, token, other) => anyProvider(other, { token: token.value }),
    "a dependency": (_stack, token, other) => anyResource(other, "r", {}, { dependsOn: [token] }),
    "an aspect": (_stack, token, other) =>
      Aspects.of(other).add({
        visit: (node) => node === other && at("resource.any.late.v")(other, token),
      }),
  },
};

const EPHEMERAL = TokenResolution.ephemeral();
const DATA = TokenResolution.data();
const ROTATING = TokenResolution.rotating();
const SYNTH = TokenResolution.synth();

const WAYS: Readonly<Record<string, object>> = {
  ephemeral: {},
  data: { resolution: DATA },
  rotating: { resolution: ROTATING },
  synth: { resolution: SYNTH },
  "synth, `allowInState`": { resolution: TokenResolution.synth({ allowInState: true }) },
};

const CASES = usesTable().flatMap((cell) =>
  Object.entries(DECLARED[cell.use] ?? {}).map(([what, declare]) => ({ ...cell, what, declare })),
);

/** The codes of a synthesis. */
async function codesOf(way: object, declare: Declare): Promise<string[]> {
  const [stack, other] = stacksOf("stack", "other");
  const app = App.of(stack);
  declare(stack, accountToken(stack, way, "web"), other);
  await resolveTokens(app, { skip: true });
  try {
    app.synth();
    return [];
  } catch (error) {
    const codes = [...String(error).matchAll(/\[(ERR_\w+)\]/g)].map(([, code = ""]) => code);
    if (codes.length === 0) throw error;
    return [...new Set(codes)];
  }
}

test("the table of docs/using-tokens.md has the uses and the ways that are tried here", () => {
  expect(new Set(usesTable().map(({ use }) => use))).toEqual(new Set(Object.keys(DECLARED)));
  expect(new Set(usesTable().map(({ way }) => way))).toEqual(new Set(Object.keys(WAYS)));
  const outcomes = usesTable().map(({ outcome }) => outcome);
  expect(outcomes).toContain("ERR_EPHEMERAL_OUTPUT");
});

test.each(CASES)(
  "a token by $way, in the row $use ($what): $outcome",
  async ({ way, outcome, declare }) => {
    const expected = /^ERR_\w+$/.test(outcome) ? [outcome] : [];
    expect(await codesOf(WAYS[way] ?? {}, declare)).toEqual(expected);
  },
);

const tokenIn = (stack: TerraformStack, resolution?: TokenResolution) =>
  accountToken(stack, resolution && { resolution }, "web");

/** What the table does not name: accepted, or refused, with the whole of the message. */
const MORE: readonly [
  what: string,
  resolution: TokenResolution,
  declare: (stack: TerraformStack, token: ServiceUserToken) => unknown,
  ...says: RegExp[],
][] = [
  [
    "an ephemeral token turned into null in an output",
    EPHEMERAL,
    at("output.o.value", (token) => `\${ephemeralasnull(${token.value})}`),
  ],
  ["the condition of an output", EPHEMERAL, at("output.o.precondition.0.condition")],
  ["the expiry of a synth token in an output", SYNTH, at("output.o.value", (its) => its.expiresAt)],
  ["the dependency of a data source", EPHEMERAL, at("data.any.d.depends_on", (its) => [its.fqn])],
  [
    "a token in the place of one that was removed",
    EPHEMERAL,
    (stack, token) => {
      for (const id of ["web", "identity"]) stack.node.tryRemoveChild(id);
      expect(tokenIn(stack).value).not.toBe(token.value);
    },
  ],
  [
    "an ephemeral token at places that are only named like those of the rules",
    EPHEMERAL,
    (stack, token) => {
      for (const path of ["output.o.value", "data.any.d.query", "module.m.count"])
        stack.addOverride(`resource.any.r.${path}`, token.value);
      for (const path of ["output.o.values", "resource.any.count.v", "resource.count.r.v"])
        stack.addOverride(path, token.value);
      stack.addOverride("module.m.config.for_each", token.value);
      stack.addOverride("resource.any.for_each.provisioner", [
        { "local-exec": { command: "true", environment: token.environment("API") } },
      ]);
    },
  ],
  [
    "a rotating token at places that are only named like those of the rules",
    ROTATING,
    (stack, token) => {
      for (const path of ["provider.any", "import.any.id", "locals.x"])
        stack.addOverride(`resource.any.r.${path}`, token.value);
      stack.addOverride("provider.any.region", "${local.x}");
      stack.addOverride("resource.any.r.data.x_auth_token", token.value);
    },
  ],
  [
    "an output that an override deletes",
    EPHEMERAL,
    (stack, token) => {
      new TerraformOutput(stack, "o", { value: token.value, staticId: true });
      stack.addOverride("output.o", undefined);
    },
  ],
  [
    "what each plan knows of a rotating token, in a provider block",
    ROTATING,
    at("provider.any", (token) => [token._attribute("header_name"), token._attribute("kind")]),
  ],
  [
    "an ephemeral token in two outputs, which the message lists",
    EPHEMERAL,
    (stack, token) => {
      new TerraformOutput(stack, "o", { value: token.value });
      new TerraformOutput(stack, "p", { value: token.expiresAt });
    },
    /^\[stack\/web\] The token is ephemeral, but is used in an output: output\.o\.value, output\.p\.value\. .*TokenResolution\.rotating\(\).*\[ERR_EPHEMERAL_OUTPUT\]$/,
  ],
  [
    "a rotating token in a provider block, by the validation of a later construct",
    ROTATING,
    (stack, token) => {
      const validate = () => {
        stack.addOverride("provider.any.0.token", token.value);
        return [];
      };
      anyProvider(stack, {}).node.addValidation({ validate });
    },
    /\[stack\/web\] .*used in a provider block.*: provider\.any\.0\.token\. .*\[ERR_ROTATING_MISPLACED\]$/,
  ],
  [
    "a key that is an expression",
    ROTATING,
    at("provider.any.0.headers", (token) => ({ [token.value]: "x", region: "r1" })),
    /\[ERR_ROTATING_MISPLACED\]$/,
  ],
  [
    "the command line of a hook",
    ROTATING,
    at("resource.any.x.provisioner.local-exec.environment.IAM_TOKENS_HOOK_COMMAND"),
    /a hook's command line, which others can see while it runs: .*\$IAM_TOKEN.*\[ERR_TOKEN_MISPLACED\]$/,
  ],
];

test.each(
  MORE.map(
    ([what, ...row]) => [`${row.length > 2 ? "refused" : "accepted"}: ${what}`, ...row] as const,
  ),
)("%s", (_what, resolution, declare, ...says) => {
  const stack = testStack();
  declare(stack, tokenIn(stack, resolution));
  const mistakes = mistakesOf(stack).filter((line) => !line.includes("NOT_RESOLVED"));
  expect(mistakes).toEqual(says.map((text) => expect.stringMatching(text)));
});

test.each(["local-exec.command", "local-exec.interpreter"])(
  "a token in the %s is warned of, once and with the way by the environment",
  (where) => {
    const stack = testStack();
    const token = tokenIn(stack);
    const words = [token.value, token.fingerprint];
    const given = where.endsWith("command") ? words.join(" ") : words;
    stack.addOverride(`resource.any.x.provisioner.0.${where}`, given);
    expect([mistakesOf(stack), mistakesOf(stack)]).toEqual([[], []]);
    expect(annotationsOf(stack)).toEqual([
      expect.stringMatching(
        /^stack\/web: A command line contains the token.*: resource\.any\.x\.[\w.-]+\. .*token\.environment\("NAME"\)\. \[WARN_TOKEN_ON_COMMAND_LINE\]$/,
      ),
    ]);
  },
);

test("a property of a token that is a key and a value is written as both; an override's key counts", () => {
  const stack = testStack();
  const token = tokenIn(stack, TokenResolution.rotating());
  const key = "${iam_token.web.fingerprint}";
  const both = Lazy.anyValue({
    produce: (context) => {
      const text: string = context.resolve(token.fingerprint);
      return { [text]: text };
    },
  });
  new TerraformLocal(stack, "both", both);
  new TerraformLocal(stack, "own", { [token.fingerprint]: "first" });
  stack.addOverride("locals.own", { [token.fingerprint]: "override" });
  expect(partOf(stack, "locals")).toEqual({ both: { [key]: key }, own: { [key]: "override" } });
});

test.each<
  [
    by: string,
    warnings: number,
    makes: (stack: TerraformStack) => IdentityService,
    given: Readonly<Record<string, string>>,
  ]
>([
  ["the environment", 0, (stack) => new IdentityService(stack, "service"), {}],
  ["a given service user", 0, identityIn, {}],
  [
    "a given service user where variables are set",
    1,
    identityIn,
    { OS_CLOUD: "x", OS_TENANT_NAME: "web" },
  ],
])(
  "a token by %s in a block of the OpenStack provider is warned of %i times",
  (_by, times, make, given) => {
    jest.replaceProperty(process, "env", { ...process.env, ...given });
    const stack = testStack();
    const token = new ServiceUserToken(stack, "web", {
      identity: make(stack),
      scope: TokenScope.account(),
    });
    for (const name of ["openstack", "other"])
      stack.addOverride(`provider.${name}`, [{ token: token.value }]);
    expect([mistakesOf(stack), mistakesOf(stack)]).toEqual([[], []]);
    jest.restoreAllMocks();
    const names = Object.keys(given).map((name) => `--withhold ${name}`);
    const warning = new RegExp(
      `^stack/web: With one of OS_CLOUD, OS_PROJECT_NAME, .*iam-tokens run ${names.join(" ")} -- .*\\[WARN_OPENSTACK_VARIABLES\\]$`,
    );
    expect(annotationsOf(stack)).toEqual(Array(times).fill(expect.stringMatching(warning)));
  },
);

test.each<[string, (a: TerraformStack, b: TerraformStack) => unknown, string | RegExp]>([
  [
    "is named with both stacks and the way",
    (a, b) => anyProvider(b, { token: tokenIn(a, DATA).value }),
    /^The token a\/web is used in the stack b\. Its value would have to pass through a state\. Declare a token with the same properties in the stack b\. \[ERR_OTHER_STACK\]$/,
  ],
  [
    "may be of another app",
    (_a, b) => anyProvider(b, { token: tokenIn(testStack("b"), DATA).value }),
    /is used in a stack of another app, b\./,
  ],
])("a token in another stack %s", (_what, declare, says) => {
  const [a, b] = stacksOf("a", "b");
  declare(a, b);
  expect(() => App.of(a).synth()).toThrow(says);
});

test("a token that waits for an apply, in a provider block, is warned of; what a plan knows is not", () => {
  const stack = testStack();
  const role = anyResource(stack, "role", {});
  const identity = identityIn(stack);
  const waiting = [
    { dependsOn: [role] },
    { after: ["%{if any_thing.role.on}${var.x}%{endif}"] },
    { forEach: TerraformIterator.fromList(role.getListAttribute("names")) },
  ].map((wait, at) => accountToken(stack, { identity, ...wait }, `waiting-${at}`));
  const after = ["${var.x}-${local.y}", "https://api.example.com"];
  const known = accountToken(stack, { identity, after }, "known");
  const forEach = TerraformIterator.fromList(["web"]);
  const scope = TokenScope.project(forEach.value);
  const each = accountToken(stack, { identity, scope, forEach }, "each");
  const values = waiting.map(({ value }) => value);
  anyProvider(stack, { token: values, more: [known.value, each.valueAt("web")] });
  anyResource(stack, "store", { token_wo: waiting[0]?.value });
  expect(mistakesOf(stack)).toEqual([]);
  expect(annotationsOf(stack)).toEqual(
    waiting.map((_, at) =>
      expect.stringMatching(
        new RegExp(
          `^stack/waiting-${at}: The token waits .*Helm.*: provider\\.any\\.0\\.token\\.${at}\\. .*\\[WARN_TOKEN_UNKNOWN\\]$`,
        ),
      ),
    ),
  );
});

test("a token that is revoked on close is refused in what stores it, and works elsewhere", () => {
  const stack = testStack();
  const resolution = TokenResolution.ephemeral({ revokeOnClose: true });
  const token = accountToken(stack, { resolution }, "web");
  anyProvider(stack, { token: token.value });
  stack.addOverride("resource.any.x.provisioner.0.local-exec.environment.T", token.value);
  stack.addOverride("resource.any.x.connection.password", token.value);
  anyResource(stack, "store", { token_wo: token.value, id: token.headerName });
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(
      /^\[stack\/web\] The token is revoked .*: stack\/store \(resource\.any_thing\.store\.token_wo\)\. .*\[ERR_REVOKED_TOKEN_STORED\]$/,
    ),
  ]);
});

test.each<[what: string, given: string | number]>([
  ["Java's text", "v-8.109562212591379E298"],
  ["text by a format for integers", `-810956221259${"1".repeat(287)}`],
  ["Go's integer", -(2 ** 63)],
  ["an integer of 32 bits, in a text", `r${-(2 ** 31)}`],
])("a number that a language has turned into a constant is refused: %s", (_what, given) => {
  const stack = testStack();
  accountToken(stack);
  anyResource(stack, "r", { version: given, right: 3, other: "-8.1", serial: "1-21474836480" });
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(
      /^\[stack\] A number .*: stack\/r \(resource\.any_thing\.r\.version\)\. .*rotationId.*\[ERR_NUMBER_LOST\]$/,
    ),
  ]);
});

test.each([
  ["a, b, c, d, e", ["a", "b", "c", "d", "e", "a"]],
  ["a, b, c, d, e and 1 more", ["a", "b", "c", "d", "e", "f"]],
])("a message names %s of %j", (named, all) => {
  expect(namesOf(all)).toBe(named);
});
