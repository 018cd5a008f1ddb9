import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformStack, Testing } from "cdktf";
import { Construct } from "constructs";
import {
  EmbeddedProvider,
  type IdentityService,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { identityIn, mistakesOf, temporaryFolder } from "./support";

/** A program whose last synthesis, into the same folder, was that of `declare`. */
function synthesized(
  declare: (stack: TerraformStack) => void,
): (next: (stack: TerraformStack) => void) => string[] {
  const outdir = temporaryFolder();
  const synth = (declareNow: (stack: TerraformStack) => void): string[] => {
    const app = Testing.app({ outdir });
    const stack = new TerraformStack(app, "stack");
    declareNow(stack);
    const mistakes = mistakesOf(stack);
    if (mistakes.length === 0) app.synth();
    return mistakes;
  };
  expect(synth(declare)).toEqual([]);
  return synth;
}

const tokenOf = (identity: IdentityService, resolution: TokenResolution, id = "t"): unknown =>
  new ServiceUserToken(TerraformStack.of(identity), id, {
    identity,
    scope: TokenScope.account(),
    resolution,
  });
const withData = (stack: TerraformStack): void => {
  tokenOf(identityIn(stack), TokenResolution.DATA);
};
const keep =
  (...identities: string[]) =>
  (stack: TerraformStack): void =>
    void EmbeddedProvider.keepFor(stack, identities.length === 0 ? {} : { identities });

describe("keepFor, after a synthesis that had the identity service", () => {
  test.each(["data", "rotating"])("keeps it for a token by %s, at each synthesis", (way) => {
    const resolution = way === "data" ? TokenResolution.DATA : TokenResolution.ROTATING;
    const next = synthesized((stack) => void tokenOf(identityIn(stack), resolution));
    expect(next(keep("identity"))).toEqual([]);
    expect(next(keep("identity"))).toEqual([]);
  });

  test("refuses an unknown id, lists the known ones and suggests the nearest", () => {
    const next = synthesized((stack) => {
      withData(stack);
      tokenOf(identityIn(new Construct(stack, "team"), "other"), TokenResolution.DATA, "u");
    });
    expect(next(keep("identiy", "nobody"))).toEqual([
      expect.stringMatching(
        /^\[stack\/cdktf-iam-tokens\] keepFor was given "identiy", but the previous \S*cdk\.tf\.json has no provider iam\.identiy\. Allowed: "identity", "team_other_[0-9A-F]{8}"\. Did you mean "identity"\? If an earlier synthesis has removed it from that file, delete the file\. \[ERR_KEEP_FOR_MISMATCH\]$/,
      ),
      expect.stringMatching(
        / keepFor was given "nobody", .* Allowed: [^.]*\. If an earlier .* \[ERR_KEEP_FOR_MISMATCH\]$/,
      ),
    ]);
  });

  test.each([
    ["data", TokenResolution.DATA],
    ["rotating", TokenResolution.ROTATING],
  ])("refuses to leave out the service of a token by %s", (_way, resolution) => {
    const next = synthesized((stack) => void tokenOf(identityIn(stack), resolution));
    expect(next(keep())).toEqual([
      expect.stringMatching(
        /^\[stack\/cdktf-iam-tokens\] The previous \S*cdk\.tf\.json has tokens of iam\.identity in the state, but this provider is neither kept nor declared\. Add "identity" to identities of keepFor, or keep its IdentityService for one more deploy\. \[ERR_KEEP_FOR_MISMATCH\]$/,
      ),
    ]);
    expect(
      next((stack) => {
        keep()(stack);
        identityIn(stack);
      }),
    ).toEqual([]);
  });

  test("needs no id if no token of the state has one", () => {
    const next = synthesized((stack) => {
      tokenOf(identityIn(stack), TokenResolution.EPHEMERAL);
      new StaticTokenRef(stack, "dns", {
        source: SecretRef.env("T"),
        resolution: TokenResolution.DATA,
        acceptStaticTokenInState: true,
      });
    });
    expect(next(keep())).toEqual([]);
  });

  test("takes an id that is declared now", () => {
    const next = synthesized(withData);
    expect(
      next((stack) => {
        withData(stack);
        identityIn(stack, "new");
        keep("new")(stack);
      }),
    ).toEqual([]);
  });
});

describe("keepFor takes any id if the earlier output names no provider of ours:", () => {
  const into = (prepare: (folder: string) => void): string[] => {
    const outdir = temporaryFolder();
    const folder = join(outdir, "stacks", "stack");
    mkdirSync(folder, { recursive: true });
    prepare(folder);
    const stack = new TerraformStack(Testing.app({ outdir }), "stack");
    keep("identity")(stack);
    return mistakesOf(stack);
  };
  const write = (text: string) => (folder: string) =>
    writeFileSync(join(folder, "cdk.tf.json"), text);

  test.each<{ readonly where: string; readonly prepare: (folder: string) => void }>([
    { where: "in a fresh checkout", prepare: () => {} },
    {
      where: "after a synthesis without tokens",
      prepare: write('{"provider": {"null": [{"alias": "x"}]}}'),
    },
    { where: "where the file is not JSON", prepare: write("{") },
    { where: "where the file is a list", prepare: write("[]") },
    {
      where: "where the file is a FIFO",
      prepare: (folder) => execFileSync("mkfifo", [join(folder, "cdk.tf.json")]),
    },
    {
      where: "where it is the provider of somebody else",
      prepare: write(
        JSON.stringify({
          terraform: { required_providers: { iam: { source: "example/iam" } } },
          provider: { iam: [{ alias: "x" }] },
        }),
      ),
    },
  ])("$where", ({ prepare }) => {
    expect(into(prepare)).toEqual([]);
  });
});
