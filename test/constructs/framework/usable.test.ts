import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import {
  IdentityService,
  RotationHook,
  RotationSchedule,
  resolveTokens,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenRotation,
  TokenScope,
} from "../../../lib";
import { assertInstalled, USED } from "../../../lib/constructs/framework/usable";
import { packageRoot } from "../../support/project";
import { accountToken, identityIn, temporaryFolder, testApp, testStack } from "../support";

const RTTI = Symbol.for("jsii.rtti");

/** A framework of another version. */
function versionOf(name: "cdktf" | "cdktn", version: string, without: string[] = []) {
  const framework: Record<string, unknown> = { ...(name === "cdktf" ? cdktf : cdktn) };
  for (const each of without) delete framework[each];
  class App {
    static readonly [RTTI] = { fqn: `${name}.App`, version };
    synth() {}
  }
  return () => assertInstalled(() => ({ ...framework, App }));
}

test("the frameworks that are installed here are ones that work", () => {
  for (const framework of [cdktf, cdktn]) assertInstalled(() => framework);
});

test("lib imports exactly the listed names of the framework", () => {
  const files = readdirSync(join(packageRoot, "lib"), { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(packageRoot, "lib", path), "utf8"));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/^import \{([^}]*)\} from "cdktf";/gm)].flatMap(([, names = ""]) =>
      names.split(",").map((name) => name.trim()),
    ),
  );
  const values = imported.filter((name) => name !== "" && !name.startsWith("type "));
  expect([...new Set(values.map((name) => name.split(" as ")[0]))].sort()).toEqual(
    Object.keys(USED).sort(),
  );
});

test.each([
  ["cdktf", "0.20.12", "0.21"],
  ["cdktn", "0.23.0", "0.24"],
] as const)("%s %s is too old", (name, version, first) => {
  expect(versionOf(name, version)).toThrow(
    new RegExp(
      `^cdktf-iam-tokens \\d\\S+ does not work with ${name} ${version}\\. It is too old\\. Install ${name} ${first}, .*npm install ${name}@${first} .*\\[ERR_FRAMEWORK_UNSUPPORTED\\]$`,
    ),
  );
});

test.each([
  ["cdktf", "0.21.0"],
  ["cdktn", "0.24.0-pre.7"],
  ["cdktn", "0.26.0"],
  ["cdktn", "1.0.0"],
  // As somebody has built it from a checkout.
  ["cdktn", "0.0.0"],
] as const)("%s %s works, as long as it has what is used", (name, version) => {
  expect(versionOf(name, version)).not.toThrow();
});

test("a newer version that lacks something is named, with what it lacks", () => {
  expect(versionOf("cdktn", "0.26.0", ["TerraformDataSource"])).toThrow(
    /does not work with cdktn 0\.26\.0\. It has no TerraformDataSource, which .*\[ERR_FRAMEWORK_UNSUPPORTED\]$/,
  );
  class TerraformElement {
    toTerraform() {}
  }
  expect(() => assertInstalled(() => ({ ...cdktf, TerraformElement }))).toThrow(
    /cdktf 0\.21\.0\. It has no TerraformElement\.toHclTerraform, which/,
  );
});

test("a framework that is not installed is named; so is the package for the one that is", () => {
  const only = (installed: string) => (name: string) => {
    if (name === installed) return {};
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
  };
  expect(() => assertInstalled(only("neither"))).toThrow(
    "cdktf-iam-tokens needs the package cdktf, which is not installed. npm install cdktf [ERR_PEER_MISSING]",
  );
  expect(() => assertInstalled(only("cdktn"))).toThrow(
    /For cdktn, which is installed, .*npm install cdktn-iam-tokens\. \[ERR_PEER_MISSING\]$/,
  );
  // Its own peer, say: Node.js's words name it.
  expect(() => assertInstalled((name) => only("")(`a-peer-of-${name}`))).toThrow(
    /^Cannot find module 'a-peer-of-cdktf'$/,
  );
  const broken = new SyntaxError("in its own file");
  expect(() =>
    assertInstalled(() => {
      throw broken;
    }),
  ).toThrow(broken);
});

describe("in a program of CDK Terrain", () => {
  const foreignApp = () => new cdktn.App({ outdir: temporaryFolder() });
  const foreignStack = () =>
    new cdktn.TerraformStack(foreignApp(), "a") as unknown as cdktf.TerraformStack;
  const MISMATCH =
    /^The program uses cdktn 0\.24\.0, but cdktf-iam-tokens works with cdktf\. Install cdktn-iam-tokens instead .*npm install cdktn-iam-tokens\. \[ERR_FRAMEWORK_MISMATCH\]$/;
  const schedule = RotationSchedule.every("6h");
  const own = () => {
    const stack = testStack();
    const identity = identityIn(stack);
    return accountToken(stack, { identity }, "token");
  };

  test.each<{ readonly name: string; readonly declare: (stack: cdktf.TerraformStack) => unknown }>([
    { name: "IdentityService", declare: (stack) => identityIn(stack) },
    {
      name: "ServiceUserToken",
      declare: (stack) =>
        new ServiceUserToken(stack, "t", {
          identity: identityIn(testStack()),
          scope: TokenScope.account(),
        }),
    },
    {
      name: "StaticTokenRef",
      declare: (stack) => new StaticTokenRef(stack, "t", { source: SecretRef.env("T") }),
    },
    { name: "TokenRotation", declare: (stack) => new TokenRotation(stack, "t", { schedule }) },
    { name: "TokenOutputs", declare: (stack) => new TokenOutputs(stack, "t", { token: own() }) },
    {
      name: "RotationHook",
      declare: (stack) => new RotationHook(stack, "t", { token: own(), command: "true" }),
    },
    { name: "reopenIn", declare: (stack) => own().reopenIn(stack) },
    {
      name: "IdentityService.fromEnvironment",
      declare: (stack) => IdentityService.fromEnvironment(stack, "i"),
    },
  ])("$name names the right package, at once", ({ declare }) => {
    expect(() => declare(foreignStack())).toThrow(MISMATCH);
  });

  test("resolveTokens names the right package", async () => {
    await expect(resolveTokens(foreignApp() as unknown as cdktf.App)).rejects.toThrow(MISMATCH);
  });
});

test("a stack of another copy is one that works, or its version is named", () => {
  class Copied extends cdktf.TerraformStack {
    static readonly [RTTI] = { fqn: "cdktf.TerraformStack", version: "0.20.1" };
  }
  expect(() => identityIn(new Copied(testApp(), "a"))).toThrow(
    /does not work with cdktf 0\.20\.1\. It is too old/,
  );
  const stack = testStack();
  delete (stack as unknown as Record<string, unknown>).rawOverrides;
  expect(() => identityIn(stack)).toThrow(
    /cdktf 0\.21\.0\. It has no TerraformStack\.rawOverrides, which/,
  );
});
