import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import {
  SecretRef,
  ServiceUserToken,
  type ServiceUserTokenProps,
  StaticTokenRef,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { tokenIn as anyTokenIn } from "./any-token";
import {
  AnyProvider,
  AnyResource,
  accountToken,
  annotationsOf,
  identityIn,
  mistakesOf,
  partOf,
  providerBlocksOf,
  temporaryFolder,
  testApp,
  testStack,
} from "./support";

function stacks() {
  const app = testApp();
  const [a, b, c] = ["a", "b", "c"].map((id) => new TerraformStack(app, id)) as [
    TerraformStack,
    TerraformStack,
    TerraformStack,
  ];
  return { app, a, b, c };
}

const tokenIn = (stack: TerraformStack, more: Partial<ServiceUserTokenProps> = {}) =>
  new ServiceUserToken(stack, "web", {
    identity: more.identity ?? identityIn(stack),
    scope: TokenScope.project("web"),
    minRemaining: "3h",
    ...more,
  });

describe.each([TokenResolution.EPHEMERAL, TokenResolution.DATA])(
  "a token that is reopened in another stack (%s)",
  (resolution) => {
    test("has the same declaration there, with its own provider block, and no value passes through a state", () => {
      const { app, a, b } = stacks();
      const token = tokenIn(a, { resolution });
      new AnyProvider(b, { token: token.reopenIn(b).value });
      new AnyProvider(a, { token: token.value });

      app.synth();

      const [name = ""] = Object.keys(partOf(b, `${resolution}.iam_token`) as object);
      expect(name).toBe("a__web");
      const [alias = ""] = providerBlocksOf(b).flatMap(
        (block) => (block.alias as string | undefined) ?? [],
      );
      expect(partOf(b, `${resolution}.iam_token.${name}`)).toMatchObject({
        provider: `iam.${alias}`,
        scope: "project",
        project_name: "web",
        min_remaining: "3h",
      });
      const own = providerBlocksOf(a).find((block) => block.alias === "identity");
      expect(providerBlocksOf(b).find((block) => block.alias === alias)).toEqual({ ...own, alias });
      expect(alias).toBe("a__identity");
      expect(partOf(b, "provider.any.0.token")).toBe(`\${${resolution}.iam_token.${name}.token}`);
      expect(partOf(b, "data.terraform_remote_state")).toBeUndefined();
      expect(partOf(a, "output")).toBeUndefined();
      expect([a.dependencies, b.dependencies]).toEqual([[], []]);
    });

    test("is the same construct for the same stack, the original in its own, and independent of where it is reopened", () => {
      const { a, b, c } = stacks();
      const token = tokenIn(a, { resolution });
      const there = token.reopenIn(b);

      expect(token.reopenIn(a)).toBe(token);
      expect(token.reopenIn(b)).toBe(there);
      expect(there.reopenIn(b)).toBe(there);
      expect(there.reopenIn(a)).toBe(token);
      expect(there.reopenIn(c)).toBe(token.reopenIn(c));
      expect(providerBlocksOf(b)).toHaveLength(2);
    });
  },
);

test("tokens of one identity service share its one configuration in the other stack", () => {
  const { a, b } = stacks();
  const identity = identityIn(a);
  for (const id of ["one", "two"]) accountToken(a, { identity }, id).reopenIn(b);

  expect(providerBlocksOf(b)).toHaveLength(2);
  expect(Object.keys(partOf(b, "ephemeral.iam_token") as object)).toHaveLength(2);
});

test("the names stay when something is added, and do not clash with equal names", () => {
  const names = (more: boolean): string[] => {
    const { a, b } = stacks();
    if (more) {
      tokenIn(b, { identity: identityIn(b, "own") });
      new ServiceUserToken(a, "first", {
        identity: identityIn(a, "other"),
        scope: TokenScope.account(),
      }).reopenIn(b);
    }
    tokenIn(a).reopenIn(b);
    expect(mistakesOf(b)).toEqual([]);
    return Object.keys(partOf(b, "ephemeral.iam_token") as object);
  };

  expect(names(true)).toEqual(expect.arrayContaining(names(false)));
  expect(names(true)).toHaveLength(3);
});

test("two paths that look the same without their slashes are two tokens", () => {
  const { app, b } = stacks();
  const outer = new TerraformStack(app, "x");
  const inner = new TerraformStack(outer, "y");
  const dashed = new TerraformStack(app, "x--y");
  tokenIn(inner).reopenIn(b);
  tokenIn(dashed).reopenIn(b);

  expect(mistakesOf(b)).toEqual([]);
  expect(Object.keys(partOf(b, "ephemeral.iam_token") as object)).toHaveLength(2);
});

test("a stack inside another one can be the place, and the origin", () => {
  const { app, a } = stacks();
  const inner = new TerraformStack(a, "inner");
  const token = tokenIn(inner);
  new AnyProvider(a, { token: token.reopenIn(a).value });
  const outer = tokenIn(a);
  new AnyProvider(inner, { token: outer.reopenIn(inner).value });

  expect(() => app.synth()).not.toThrow();
  expect(Object.keys(partOf(a, "ephemeral.iam_token") as object)).toHaveLength(2);
  expect(Object.keys(partOf(inner, "ephemeral.iam_token") as object)).toHaveLength(2);
});

test("reopens a static token with its consent, and keeps a relative file of the project", () => {
  const { a, b } = stacks();
  const project = realpathSync(process.cwd());
  const folder = temporaryFolder();
  mkdirSync(join(folder, "s"));
  writeFileSync(join(folder, "s", "token"), "x");
  const token = new StaticTokenRef(a, "dns", {
    source: SecretRef.file("secrets/token"),
    resolution: TokenResolution.DATA,
    acceptStaticTokenInState: true,
  });
  token.reopenIn(b);

  const [block] = Object.values(
    partOf(b, "data.iam_static_token") as Record<string, { file: string }>,
  );
  const stackFolder = join((b.node.root as unknown as { outdir: string }).outdir, "stacks/b");
  expect(block).toMatchObject({ accept_in_state: true });
  expect(join(stackFolder, (block?.file ?? "").replace("${abspath(path.root)}/", ""))).toBe(
    join(project, "secrets/token"),
  );
  expect(mistakesOf(b)).toEqual([]);
});

describe("a token for a command's environment", () => {
  test("is under the given name, with the header's name in a second variable", () => {
    const { a } = stacks();
    const token = tokenIn(a);
    const dns = new StaticTokenRef(a, "dns", { source: SecretRef.env("T") });
    const environment = { ...token.environment("API_TOKEN"), ...dns.environment("dns") };
    new AnyResource(
      a,
      "r",
      {},
      { provisioners: [{ type: "local-exec", command: "x", environment }] },
    );

    expect(mistakesOf(a)).toEqual([]);
    expect(annotationsOf(a, "warn")).toEqual([]);
    expect(partOf(a, "resource.any_thing.r.provisioner.0.local-exec.environment")).toEqual({
      API_TOKEN: "${ephemeral.iam_token.web.token}",
      API_TOKEN_HEADER: "X-Auth-Token",
      dns: "${ephemeral.iam_static_token.dns.token}",
      dns_HEADER: "X-Token",
    });
  });
});

describe("the names in plans are the original's path", () => {
  const nameOf = (...path: string[]): string => {
    const app = testApp();
    const [stack = "", ...scopes] = path;
    const there = new TerraformStack(app, "there");
    const id = scopes.pop() ?? "";
    const scope = scopes.reduce<Construct>(
      (parent, each) => new Construct(parent, each),
      new TerraformStack(app, stack),
    );
    const identity = identityIn(scope);
    accountToken(scope, { identity }, id).reopenIn(there);
    expect(mistakesOf(there)).toEqual([]);
    return Object.keys(partOf(there, "ephemeral.iam_token") as object).join();
  };

  test.each([
    [["network", "project"], "network__project"],
    [["my_net-1", "room", "project"], "my_net-1__room__project"],
    [["1st", "project"], "_1st__project"],
  ])("%j", (path, name) => expect(nameOf(...path)).toBe(name));

  test("with a hash where another path would make the same name", () => {
    const names = [
      ["a__b", "c"],
      ["a", "b__c"],
      ["a_", "b", "c"],
      ["a", "b", "_c"],
      ["a", "b", "c.c"],
      ["a", "b", "cc"],
    ].map((path) => nameOf(...path));
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
    const token = tokenIn(a);
    token.reopenIn(b);
    const identity = identityIn(b);
    accountToken(b, { identity }, "a__web");
    expect(mistakesOf(b)).toEqual(
      Array(2).fill(expect.stringMatching(/ephemeral\.iam_token\.a__web.*NAME_TAKEN/)),
    );
  });
});

test.each([TokenResolution.EPHEMERAL, TokenResolution.SYNTH])(
  "a token and an identity service that were removed leave their names to others (%s)",
  (resolution) => {
    const stack = testStack();
    anyTokenIn(stack, resolution);
    for (const id of ["web", "identity"]) stack.node.tryRemoveChild(id);
    anyTokenIn(stack);
    expect(mistakesOf(stack)).toEqual([]);
  },
);
