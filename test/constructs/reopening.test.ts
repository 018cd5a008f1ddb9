import { join } from "node:path";
import { type App, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { SecretRef, StaticTokenRef, TokenResolution } from "../../lib";
import {
  AnyProvider,
  AnyResource,
  accountToken,
  annotationsOf,
  identityIn,
  mistakesOf,
  partOf,
  providerBlocksOf,
  testApp,
  testStack,
} from "./support";

const { EPHEMERAL, DATA, SYNTH } = TokenResolution;

function stacks() {
  const app = testApp();
  const [a, b, c] = ["a", "b", "c"].map((id) => new TerraformStack(app, id)) as [
    TerraformStack,
    TerraformStack,
    TerraformStack,
  ];
  return { app, a, b, c };
}

const namesIn = (stack: TerraformStack, section = "ephemeral") =>
  Object.keys((partOf(stack, `${section}.iam_token`) ?? {}) as object);

test.each([EPHEMERAL, DATA])(
  "a token in another stack has its own declaration there, and no value passes through a state (%s)",
  (resolution) => {
    const { app, a, b, c } = stacks();
    const token = accountToken(a, { resolution, minRemaining: "3h" }, "web");
    const there = token.reopenIn(b);
    new AnyProvider(b, { token: there.value });
    new AnyProvider(a, { token: token.value });
    app.synth();

    expect(partOf(b, `${resolution}.iam_token`)).toEqual({
      a__web: { provider: "iam.a__identity", scope: "account", min_remaining: "3h" },
    });
    const [own, its] = [[a, "identity"] as const, [b, "a__identity"] as const].map(
      ([stack, alias]) => providerBlocksOf(stack).find((block) => block.alias === alias),
    );
    expect(its).toEqual({ ...own, alias: "a__identity" });
    expect(partOf(b, "provider.any.0.token")).toBe(`\${${resolution}.iam_token.a__web.token}`);
    expect([partOf(b, "data.terraform_remote_state"), partOf(a, "output")]).toEqual([
      undefined,
      undefined,
    ]);
    expect([a.dependencies, b.dependencies]).toEqual([[], []]);
    // The same construct for the same stack, wherever it is reopened from.
    expect([token.reopenIn(a), token.reopenIn(b), there.reopenIn(b), there.reopenIn(a)]).toEqual([
      token,
      there,
      there,
      token,
    ]);
    expect(there.reopenIn(c)).toBe(token.reopenIn(c));
  },
);

test("the names stay when something is added, and tokens of one service share it", () => {
  const build = (more: boolean) => {
    const { a, b } = stacks();
    const identity = identityIn(a);
    if (more) {
      accountToken(b, { identity: identityIn(b, "own") }, "web");
      accountToken(a, { identity }, "first").reopenIn(b);
    }
    accountToken(a, { identity }, "web").reopenIn(b);
    expect(mistakesOf(b)).toEqual([]);
    return { names: namesIn(b), blocks: providerBlocksOf(b).length };
  };
  expect(build(false)).toEqual({ names: ["a__web"], blocks: 2 });
  expect(build(true)).toEqual({ names: ["a__first", "a__web", "web"], blocks: 3 });
});

test("a stack inside another one can be the place, and the origin", () => {
  const { app, a } = stacks();
  const inner = new TerraformStack(a, "inner");
  accountToken(inner, {}, "web").reopenIn(a);
  accountToken(a, {}, "web").reopenIn(inner);
  expect(() => app.synth()).not.toThrow();
  expect(namesIn(a)).toEqual(["a__inner__web", "web"]);
  expect(namesIn(inner)).toEqual(["a__web", "web"]);
});

test("a static token is reopened with its consent, and with a file of the project", () => {
  const { app, a, b } = stacks();
  new StaticTokenRef(a, "dns", {
    source: SecretRef.file("secrets/token"),
    resolution: DATA,
    acceptStaticTokenInState: true,
  }).reopenIn(b);
  const block = partOf(b, "data.iam_static_token.a__dns") as { readonly file: string };
  expect(block).toMatchObject({ accept_in_state: true });
  const file = block.file.replace("${abspath(path.root)}", join(app.outdir, "stacks/b"));
  expect(join(file)).toBe(join(process.cwd(), "secrets/token"));
  expect(mistakesOf(b)).toEqual([]);
});

test("the environment of a command has the token and its header's name", () => {
  const stack = testStack();
  const dns = new StaticTokenRef(stack, "dns", { source: SecretRef.env("T") });
  const environment = {
    ...accountToken(stack).environment("API_TOKEN"),
    ...dns.environment("dns"),
  };
  const provisioners = [{ type: "local-exec" as const, command: "x", environment }];
  new AnyResource(stack, "r", {}, { provisioners });
  expect([mistakesOf(stack), annotationsOf(stack, "warn")]).toEqual([[], []]);
  expect(partOf(stack, "resource.any_thing.r.provisioner.0.local-exec.environment")).toEqual({
    API_TOKEN: "${ephemeral.iam_token.t.token}",
    API_TOKEN_HEADER: "X-Auth-Token",
    dns: "${ephemeral.iam_static_token.dns.token}",
    dns_HEADER: "X-Token",
  });
});

describe("the names in plans are the original's path", () => {
  const declareAt = (app: App, [stack = "", ...path]: readonly string[]) => {
    const id = path.pop() ?? "";
    const root = new TerraformStack(app, stack);
    const scope = path.reduce<Construct>((parent, each) => new Construct(parent, each), root);
    return accountToken(scope, { identity: identityIn(scope) }, id);
  };

  test.each([
    [["network", "project"], "network__project"],
    [["my_net-1", "room", "project"], "my_net-1__room__project"],
    [["1st", "project"], "_1st__project"],
  ])("%j", (path, name) => {
    const app = testApp();
    const there = new TerraformStack(app, "there");
    declareAt(app, path).reopenIn(there);
    expect(namesIn(there)).toEqual([name]);
  });

  test("with a hash where another path would make the same name", () => {
    const names = [
      ["a__b", "c"],
      ["a", "b__c"],
      ["a_", "b", "c"],
      ["a", "b", "_c"],
      ["a", "b", "c.c"],
      ["a", "b", "cc"],
    ].flatMap((path) => {
      const app = testApp();
      const there = new TerraformStack(app, "there");
      declareAt(app, path).reopenIn(there);
      expect(mistakesOf(there)).toEqual([]);
      return namesIn(there);
    });
    expect(new Set(names).size).toBe(6);
    expect(names.map((name) => name.replace(/[0-9a-f]{8}$/, "HASH"))).toEqual([
      "a__b__c_HASH",
      "a__b__c_HASH",
      "a___b__c_HASH",
      "a__b___c_HASH",
      "a__b__cc_HASH",
      "a__b__cc",
    ]);
  });

  test("a construct with just this name is refused, and nothing is overwritten", () => {
    const { a, b } = stacks();
    accountToken(a, {}, "web").reopenIn(b);
    accountToken(b, {}, "a__web");
    expect(mistakesOf(b)).toEqual(
      Array(2).fill(expect.stringMatching(/ephemeral\.iam_token\.a__web.*NAME_TAKEN/)),
    );
  });
});

test.each([EPHEMERAL, SYNTH])(
  "a token and an identity service that were removed leave their names to others (%s)",
  (resolution) => {
    const stack = testStack();
    accountToken(stack, { resolution }, "web");
    for (const id of ["web", "identity"]) stack.node.tryRemoveChild(id);
    accountToken(stack, {}, "web");
    expect(mistakesOf(stack)).toEqual([]);
  },
);
