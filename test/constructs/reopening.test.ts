import { App, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { SecretRef, StaticTokenRef, TokenResolution } from "../../lib";
import {
  AnyProvider,
  accountToken,
  expectNoMistake,
  identityIn,
  partOf,
  providerBlocksOf,
  stacksOf,
  testStack,
} from "./support";

const DATA = TokenResolution.data();
const minRemaining = "3h";

const namesIn = (stack: TerraformStack) =>
  Object.keys(partOf(stack, "ephemeral.iam_token") as object);

test.each([TokenResolution.ephemeral({ minRemaining }), TokenResolution.data({ minRemaining })])(
  "a token in another stack has its own declaration there, and no value passes through a state ($name)",
  (resolution) => {
    const [a, b, c] = stacksOf("a", "b", "c");
    const token = accountToken(a, { resolution }, "web");
    const there = token.reopenIn(b);
    new AnyProvider(b, { token: there.value });
    new AnyProvider(a, { token: token.value });
    App.of(a).synth();

    expect(partOf(b, `${resolution.name}.iam_token`)).toEqual({
      a__web: { provider: "iam.a__identity", scope: "account", min_remaining: "3h" },
    });
    expect(partOf(b, "provider.any.0.token")).toBe(`\${${resolution.name}.iam_token.a__web.token}`);
    expect(partOf(b, "data.terraform_remote_state")).toBeUndefined();
    expect(partOf(a, "output")).toBeUndefined();
    expect([a.dependencies, b.dependencies]).toEqual([[], []]);
    // The same construct for the same stack, wherever it is reopened from.
    expect([token, there].flatMap((its) => [its.reopenIn(a), its.reopenIn(b)])).toEqual([
      token,
      there,
      token,
      there,
    ]);
    expect(there.reopenIn(c)).toBe(token.reopenIn(c));
  },
);

test("tokens of one service share it, beside those of the stack", () => {
  const [a, b] = stacksOf("a", "b");
  const identity = identityIn(a);
  accountToken(b, { identity: identityIn(b, "own") }, "web");
  for (const id of ["first", "web"]) accountToken(a, { identity }, id).reopenIn(b);
  expectNoMistake(b);
  expect(namesIn(b)).toEqual(["a__first", "a__web", "web"]);
  expect(providerBlocksOf(b)).toHaveLength(3);
});

test("a stack inside another one can be the place, and the origin", () => {
  const a = testStack("a");
  const inner = new TerraformStack(a, "inner");
  accountToken(inner, {}, "web").reopenIn(a);
  accountToken(a, {}, "web").reopenIn(inner);
  App.of(a).synth();
  expect([a, inner].map(namesIn)).toEqual([
    ["a__inner__web", "web"],
    ["a__web", "web"],
  ]);
});

test("a static token is reopened with its consent, and with a file of the project", () => {
  const [a, b] = stacksOf("a", "b");
  new StaticTokenRef(a, "dns", {
    source: SecretRef.file("secrets/token"),
    resolution: DATA,
    allowInState: true,
  }).reopenIn(b);
  expectNoMistake(b);
  expect(partOf(b, "data.iam_static_token.a__dns")).toEqual({
    accept_in_state: true,
    file: expect.stringMatching(/^\$\{abspath\(path\.root\)\}\/\.\.\/.*\/secrets\/token$/),
  });
});

/** Paths, and their names in plans: with a hash where another path would make the same name. */
const NAMES = Object.entries({
  "network/project": "network__project",
  "my_net-1/room/project": "my_net-1__room__project",
  "1st/project": "_1st__project",
  "a__b/c": "a__b__c_HASH",
  "a/b__c": "a__b__c_HASH",
  "a_/b/c": "a___b__c_HASH",
  "a/b/_c": "a__b___c_HASH",
  "a/b/c.c": "a__b__cc_HASH",
  "a/b/cc": "a__b__cc",
});

test("the name in plans is the original's path", () => {
  const found = NAMES.flatMap(([path]) => {
    const there = testStack("there");
    const steps = path.split("/");
    const id = steps.pop();
    const scope = steps.reduce<Construct>(
      (parent, step) => new (App.isApp(parent) ? TerraformStack : Construct)(parent, step),
      there.node.root,
    );
    accountToken(scope, {}, id).reopenIn(there);
    expectNoMistake(there);
    return namesIn(there);
  });
  expect(new Set(found).size).toBe(NAMES.length);
  expect(found.map((name) => name.replace(/[0-9a-f]{8}$/, "HASH"))).toEqual(
    NAMES.map(([, name]) => name),
  );
});
