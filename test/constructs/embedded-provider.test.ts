import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  App,
  CloudBackend,
  LocalBackend,
  NamedCloudWorkspace,
  RemoteBackend,
  type TerraformStack,
} from "cdktf";
import { Construct } from "constructs";
import { TokenResolution } from "../../lib";
import { EmbeddedProvider } from "../../lib/constructs/embedded-provider";
import { accountToken, annotationsOf, identityIn, jsonOf, stacksOf, testStack } from "./support";

test("a stack has one, wherever it is requested", () => {
  const [stack, other] = stacksOf("stack", "other");
  const provider = EmbeddedProvider.getOrCreate(new Construct(stack, "nested"));
  identityIn(stack);
  expect(EmbeddedProvider.getOrCreate(stack)).toBe(provider);
  expect(EmbeddedProvider.getOrCreate(other)).not.toBe(provider);
});

/** The warnings of a stack that was written twice. */
function warningsOf(stack: TerraformStack): string[] {
  for (let times = 0; times < 2; times++) jsonOf(stack);
  return annotationsOf(stack);
}

const cloud = (stack: TerraformStack) =>
  new CloudBackend(stack, { organization: "o", workspaces: new NamedCloudWorkspace("w") });
const EPHEMERAL = TokenResolution.ephemeral();
const SYNTH = TokenResolution.synth();

test.each<[what: string, (stack: TerraformStack) => unknown, TokenResolution, warnings: 0 | 1]>([
  ["a cloud block", cloud, EPHEMERAL, 1],
  [
    "a remote backend",
    (stack) => new RemoteBackend(stack, { organization: "o", workspaces: { name: "w" } }),
    EPHEMERAL,
    1,
  ],
  ["a cloud block, but no provider is launched there,", cloud, SYNTH, 0],
  ["another backend", (stack) => new LocalBackend(stack), EPHEMERAL, 0],
  [
    "a backend by override",
    (stack) => stack.addOverride("terraform.backend.remote", {}),
    EPHEMERAL,
    1,
  ],
])("%s: a warning with two remedies if runs are remote", (_what, declare, resolution, warnings) => {
  const stack = testStack();
  declare(stack);
  accountToken(stack, { resolution });
  accountToken(new Construct(stack, "more"), { resolution: SYNTH });
  const found = warningsOf(stack);
  expect(found).toEqual(
    Array(warnings).fill(
      expect.stringMatching(
        /needs Node\.js and the secret.*TokenResolution\.synth\(\).*execution mode Local.*\[WARN_REMOTE_RUNS\]$/,
      ),
    ),
  );
});

test("warnings get into the manifest, which the command line reads; a later look writes no files", () => {
  const stack = testStack();
  cloud(stack);
  accountToken(stack);
  const { outdir } = App.of(stack);
  App.of(stack).synth();
  const { stacks } = JSON.parse(readFileSync(join(outdir, "manifest.json"), "utf8"));
  expect(stacks.stack.annotations).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/\[WARN_REMOTE_RUNS\]$/) }),
  ]);
  rmSync(join(outdir, "stacks/stack/terraform.d"), { recursive: true });
  jsonOf(stack);
  expect(readdirSync(join(outdir, "stacks/stack"))).not.toContain("terraform.d");
});
