import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import {
  RotationSchedule,
  TokenOutputs,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { type Build, identityIn, scenarios, webToken } from "./world";

const schedule = RotationSchedule.every("6h");
const APPLY = "apply -auto-approve -no-color";

// docs/rotation.md: needs this package's provider until an apply has removed it
scenarios("a state, next to what a fresh checkout synthesizes:", (stage) => {
  /** A stack in a folder with nothing but what is synthesized, and the state of another. */
  async function checkout(name: string, from: string | undefined, build: Build): Promise<string> {
    const folder = stage().stack(build, name);
    const state = "terraform.tfstate";
    if (from !== undefined) cpSync(join(from, state), join(folder, state));
    await stage().succeed(folder, "init", {});
    return folder;
  }

  /** A rotating token, with its outputs, and a rotation. */
  function rotating(stack: TerraformStack, { identity = "identity", id = "kept" } = {}): void {
    const token = webToken(stack, stage(), {
      id,
      identity: identityIn(stack, stage(), {}, identity),
      scope: TokenScope.account(),
      resolution: TokenResolution.rotating({ schedule }),
    });
    new TokenOutputs(stack, "ci", { token });
    new TokenRotation(stack, "rotation", { schedule });
  }

  test("the last tokens are removed by the identity service alone; then nothing needs the provider", async () => {
    const { identity, requests, succeed } = stage();
    const first = await checkout("main", undefined, (stack) => {
      rotating(stack);
      const ofData = identityIn(stack, stage(), {}, "of-data");
      const resolution = TokenResolution.data();
      const token = webToken(stack, stage(), { id: "data", identity: ofData, resolution });
      new TokenOutputs(stack, "read", { token });
    });
    await succeed(first, APPLY);
    expect(requests()).toBe(2);

    const second = await checkout("main", first, (stack) => {
      for (const id of ["identity", "of-data"]) identityIn(stack, stage(), {}, id);
    });
    expect((await succeed(second, APPLY, {})).text).toMatch("0 added, 0 changed, 2 destroyed");
    expect(requests()).toBe(0);
    // Nothing is revoked.
    expect(identity.issuedTokens().map((token) => identity.isValid(token))).toEqual([true, true]);

    const third = await checkout("main", second, () => {});
    expect(existsSync(join(third, "terraform.d"))).toBe(false);
    expect((await succeed(third, "plan -no-color", {})).text).toMatch("No changes.");
  });

  test("a rotating token stays when stack, identity service and, by a moved block, the token get other names", async () => {
    let folder = await checkout("main", undefined, rotating);
    await stage().succeed(folder, APPLY);
    expect(stage().requests()).toBe(1);
    const identity = "login";
    const builds: readonly (readonly [name: string, build: Build])[] = [
      ["main", (stack) => rotating(stack, { identity })],
      ["tokens", (stack) => rotating(stack, { identity })],
      [
        "tokens",
        (stack) => {
          rotating(stack, { identity, id: "moved" });
          stack.addOverride("moved", [{ from: "iam_token.kept", to: "iam_token.moved" }]);
        },
      ],
    ];
    for (const [name, build] of builds) {
      folder = await checkout(name, folder, build);
      const { text } = await stage().succeed(folder, APPLY);
      expect(text).toMatch("0 added, 0 changed, 0 destroyed");
    }
    expect(stage().requests()).toBe(0);
  });
});
