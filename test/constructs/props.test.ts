import { Fn, Lazy, type TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import {
  EmbeddedProvider,
  IdentityService,
  RotationHook,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  SynthTokens,
  TokenOutputs,
  TokenResolution,
  TokenRotation,
  TokenScope,
  TokenWarnings,
} from "../../lib";
import { IamTokensError } from "../../lib/tokens";
import { accountToken, identityIn, jsonOf, mistakesOf, testStack } from "./support";

// Programs without types, and values from the environment: a wrong value is refused with the
// property's name, and none means something else.

const WRONG: readonly unknown[] = [undefined, null, "", 5, {}];

type Props = Readonly<Record<string, unknown>>;
type Class = new (scope: Construct, id: string, props: never) => unknown;
const made = (type: Class) => (stack: TerraformStack, props: Props) =>
  new type(stack, "t", props as never);

const ROTATING = TokenResolution.rotating();
const SERVICE = { authUrl: "https://c.example.com", accountId: "1" };
const secret = SecretRef.env("P");
const schedule = RotationSchedule.every("6h");
const rotating = (stack: TerraformStack) => accountToken(stack, { resolution: ROTATING }, "web");

interface Row {
  readonly make: (stack: TerraformStack, props: Props) => unknown;
  /** Properties that are right. */
  readonly props: (stack: TerraformStack) => Props;
  /** The object of the properties that are tried, if not the whole. */
  readonly of?: string;
}

const identity = (way: Props, of?: string): Row => ({
  make: made(IdentityService),
  props: () => ({ ...SERVICE, ...way }),
  ...(of && { of }),
});
const user = { serviceUser: { name: "u", password: secret } };

const ROWS: Readonly<Record<string, Row>> = {
  IdentityService: identity(user),
  serviceUser: identity(user, "serviceUser"),
  applicationCredential: identity(
    { applicationCredential: { id: "a", secret } },
    "applicationCredential",
  ),
  federation: identity(
    { federation: { identityProvider: "g", protocol: "openid", token: secret } },
    "federation",
  ),
  fromEnvironment: {
    make: (stack, props) => IdentityService.fromEnvironment(stack, "t", props),
    props: () => ({}),
  },
  ServiceUserToken: {
    make: made(ServiceUserToken),
    props: (stack) => ({ identity: identityIn(stack, "of"), scope: TokenScope.account() }),
  },
  ...Object.fromEntries(
    (["ephemeral", "rotating"] as const).map((way) => [
      way,
      {
        make: (stack, options) =>
          accountToken(stack, { resolution: TokenResolution[way](options) }),
        props: () => ({}),
      } satisfies Row,
    ]),
  ),
  StaticTokenRef: {
    make: made(StaticTokenRef),
    props: () => ({ source: secret, resolution: TokenResolution.ephemeral() }),
  },
  TokenRotation: { make: made(TokenRotation), props: () => ({ schedule }) },
  RotationHook: {
    make: made(RotationHook),
    props: (stack) => ({ token: rotating(stack), command: "true" }),
  },
  TokenOutputs: { make: made(TokenOutputs), props: (stack) => ({ token: rotating(stack) }) },
  RotationSchedule: {
    make: (stack, options) =>
      new TokenRotation(stack, "t", { schedule: RotationSchedule.every("6h", options) }),
    props: () => ({}),
  },
};

/** The configuration, or the refusals. */
function outcome({ make, props, of }: Row, change: Props, without = ""): unknown {
  const stack = testStack();
  const right = props(stack);
  const given =
    of === undefined
      ? { ...right, ...change }
      : { ...right, [of]: { ...(right[of] as object), ...change } };
  Reflect.deleteProperty(given, without);
  let refused: string[];
  try {
    make(stack, given);
    refused = mistakesOf(stack);
    if (refused.length === 0) return jsonOf(stack);
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    refused = [error.message];
  }
  for (const line of refused) expect(line).toMatch(/\[ERR_[A-Z_]+\]$/);
  return refused.join("\n");
}

/** The names of all properties, as the refusal of a misspelt one lists them. */
function namesOf(row: Row): string[] {
  const refusal = outcome(row, { misspelt: "x" });
  expect(refusal).toMatch(/misspelt is not a property\. Allowed: /);
  return /Allowed: (.*?)\. /.exec(String(refusal))?.[1]?.split(", ") ?? [];
}

/** Right, though one of the values above. */
const RIGHT: Readonly<Record<string, readonly unknown[]>> = {
  keepers: [{}],
  environment: [{}],
  missedRuns: [5],
};

test.each(Object.entries(ROWS))("each property of %s is refused if it is wrong", (_what, row) => {
  const names = namesOf(row);
  expect(names.length).toBeGreaterThan(1);
  for (const name of names)
    for (const wrong of WRONG) {
      if (wrong !== undefined && RIGHT[name]?.some((each) => Object.is(typeof each, typeof wrong)))
        continue;
      const found = outcome(row, { [name]: wrong });
      // What is undefined is not given.
      if (wrong === undefined && typeof found !== "string")
        expect([name, found]).toEqual([name, outcome(row, {}, name)]);
      else expect([name, wrong, found]).toEqual([name, wrong, expect.stringContaining(name)]);
    }
});

test.each(Object.entries(ROWS))("%s needs an object of properties", (_what, { make, props }) => {
  const isOptional = Object.keys(props(testStack())).length === 0;
  for (const wrong of [null, "x", [], ...(isOptional ? [] : [undefined])])
    expect(() => make(testStack(), wrong as never)).toThrow("[ERR_PROP_INVALID]");
});

type Call = (value: never, stack: TerraformStack) => unknown;
const ofToken = (call: (token: ServiceUserToken, value: never) => unknown): Call => {
  return (value, stack) => call(accountToken(stack), value);
};

const lookedUp = (stack: TerraformStack, scope: TokenScope) =>
  accountToken(stack, { identity: IdentityService.fromEnvironment(stack, "of"), scope });

/** What takes one value. */
const CALLS: Readonly<Record<string, Call>> = {
  "SecretRef.env": SecretRef.env,
  "SecretRef.file": SecretRef.file,
  "SecretRef.variable": SecretRef.variable,
  "SecretRef.fromTerraform": SecretRef.fromTerraform,
  "SecretRef.command": SecretRef.command,
  "SecretRef.githubActions": SecretRef.githubActions,
  // Without a project, the environment's would be meant.
  "TokenScope.project": (name, stack) => lookedUp(stack, TokenScope.project(name)),
  "TokenScope.projectById": (id, stack) => lookedUp(stack, TokenScope.projectById(id)),
  "RotationSchedule.every": (interval) => RotationSchedule.every(interval),
  "RotationSchedule.cron": (expression) => RotationSchedule.cron(expression),
  "IdentityService.fromCloud": (cloud, stack) => IdentityService.fromCloud(stack, "t", cloud),
  "EmbeddedProvider.of": EmbeddedProvider.of,
  "TokenWarnings.of": TokenWarnings.of,
  acknowledge: (code, stack) => TokenWarnings.of(stack).acknowledge(code),
  headersFor: ofToken((token, value) => token.headersFor(value)),
  valueFor: ofToken((token, value) => token.valueFor(value)),
  environment: ofToken((token, value) => token.environment(value)),
  mayManage: ofToken((token, value) => token.mayManage(value)),
  assertMayManage: ofToken((token, value) => token.assertMayManage(value)),
};

test.each(Object.entries(CALLS))("%s refuses what it cannot mean", (_what, call) => {
  for (const wrong of [...WRONG, []]) {
    const stack = testStack();
    const attempt = () => {
      call(wrong as never, stack);
      throw mistakesOf(stack).join();
    };
    expect(attempt).toThrow(/\[ERR_[A-Z_]+\]/);
    expect(attempt).not.toThrow(TypeError);
  }
});

function refusalOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return String((error as Error).message);
  }
}

const listed = Fn.tolist(["a"]);
const mapped = Token.asStringMap(Fn.tomap({ a: "b" }));
const counted = Token.asNumber(Lazy.anyValue({ produce: () => 1 }));

/** Values that are wrong everywhere, and some that one kind of argument takes. */
const VALUES: Readonly<Record<string, unknown>> = {
  ...{ null: null, NaN, Infinity, number: 5, bigint: 5n, boolean: true, symbol: Symbol("x") },
  ...{ text: "x", list: ["a"], "list of lists": [["a"]], "list with a hole": new Array(1) },
  ...{ "list with null": ["a", null], "list of numbers": [1], map: { a: "b" } },
  ...{ "map of numbers": { a: 1 }, "map of null": { a: null }, "map of maps": { a: { b: "c" } } },
  ...{ "map with undefined": { a: undefined }, function: () => "x", Date: new Date(0) },
  ...{ Promise: Promise.resolve("x"), Set: new Set(["a"]), Map: new Map([["a", "b"]]) },
  ...{ Buffer: Buffer.from("x"), URL: new URL("https://c.example.com"), RegExp: /x/ },
  ...{ Error: new Error("x"), String: Object("x"), "list of Terraform": listed },
  ...{ "map of Terraform": mapped, "number of Terraform": counted },
};
const LISTS = ["list", "list of Terraform"];
const MAPS = ["map", "map of Terraform"];

/** Where the values are given, and which of them each place takes. */
const PLACES: Readonly<Record<string, readonly [give: Call, takes: readonly string[]]>> = {
  "serviceUser.name": [
    (name, stack) => identityIn(stack, "i", { serviceUser: { name, password: secret } }),
    ["text", "number of Terraform"],
  ],
  serviceUser: [(given, stack) => identityIn(stack, "i", { serviceUser: given }), []],
  destinations: [(given, stack) => accountToken(stack, { destinations: given }), LISTS],
  "options.keepers": [
    (keepers, stack) => accountToken(stack, { resolution: TokenResolution.rotating({ keepers }) }),
    MAPS,
  ],
  "options.verifyAtRefresh": [
    (verifyAtRefresh) => TokenResolution.rotating({ verifyAtRefresh }),
    ["boolean"],
  ],
  dependsOn: [(given, stack) => accountToken(stack, { dependsOn: given }), []],
  environment: [
    (environment, stack) =>
      new RotationHook(stack, "h", { token: rotating(stack), command: "true", environment }),
    ["map"],
  ],
};

test.each(Object.entries(PLACES))(
  "%s: a value of another kind is refused by the path of the member",
  (path, [give, takes]) => {
    for (const [what, value] of Object.entries(VALUES)) {
      const attempt = () => void give(value as never, testStack());
      const found = refusalOf(attempt);
      const isPath = found?.includes(path) && /(?:\[\d\]|\.\w+|\w) is .*\[ERR_\w+\]$/.test(found);
      expect([what, isPath ?? found]).toEqual([what, takes.includes(what) ? undefined : true]);
    }
  },
);

test("a command that is one string is refused, not cut into letters", () => {
  expect(() => SecretRef.command("op read x" as never)).toThrow(/a list of strings.*PROP_INVALID/);
});

test("options of a pass before synthesis are checked", () => {
  const app = testStack().node.root;
  const resolve = (given: unknown, props: object) =>
    new SynthTokens(given as never, props).resolve();
  expect(() => resolve(app, { skip: "yes" })).toThrow(/skip is "yes"\..*PROP_INVALID/);
  expect(() => resolve(undefined, {})).toThrow(/resolveTokens is missing .*PROP_INVALID/);
});
