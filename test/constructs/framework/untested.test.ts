import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { TokenWarnings } from "../../../lib";
import { TESTED, untestedFramework } from "../../../lib/constructs/framework/usable";
import { packageRoot } from "../../support/project";
import { accountToken, annotationsOf, testApp } from "../support";

/** jsii's mark on the framework's App, which here names a version that does not exist yet. */
const RTTI = Symbol.for("jsii.rtti") as unknown as keyof typeof App;
const replaced = jest.replaceProperty(App, RTTI, { fqn: "cdktf.App", version: "0.22.3" } as never);
afterAll(() => replaced.restore());

/** An app with two stacks, each with a token. */
function twoStacks() {
  const app = testApp();
  const stacks = ["a", "b"].map((id) => new TerraformStack(app, id));
  for (const stack of stacks) accountToken(stack);
  const warnings = () => {
    app.synth();
    return stacks.flatMap((stack) => annotationsOf(stack, "warn"));
  };
  return { app, warnings };
}

test("a minor version that no test has used is one warning of a synthesis", () => {
  const { warnings } = twoStacks();
  expect(warnings()).toEqual([
    expect.stringMatching(
      /^a\/\S+: cdktf-iam-tokens \d\S+ was tested with cdktf 0\.21, but not with 0\.22\.3\. .*\[WARN_FRAMEWORK_UNTESTED\]$/,
    ),
  ]);
});

test("it can be acknowledged", () => {
  const { app, warnings } = twoStacks();
  TokenWarnings.of(app).acknowledge("WARN_FRAMEWORK_UNTESTED");
  expect(warnings()).toEqual([]);
});

test.each([
  ["cdktf", "0.21.4", false],
  ["cdktn", "0.24.1-pre.7", false],
  ["cdktn", "0.0.0", false],
  ["cdktn", "0.25.0", true],
  ["cdktn", "0.240.0", true],
] as const)("%s %s: %s", (name, version, warns) => {
  expect(untestedFramework({ name, version }) !== undefined).toBe(warns);
});

test("the versions that are installed for the tests are those that count as tested", () => {
  for (const [name, minors] of Object.entries(TESTED)) {
    const manifest = join(packageRoot, "node_modules", name, "package.json");
    const { version } = JSON.parse(readFileSync(manifest, "utf8"));
    expect(minors).toContain(version.split(".").slice(0, 2).join("."));
  }
});
