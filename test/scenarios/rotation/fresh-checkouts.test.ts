import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import {
  RotationSchedule,
  ServiceUserToken,
  TokenOutputs,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../../lib";
import { scenarios } from "../scenario";
import { identityIn, StackOf, webToken } from "../stacks";

const schedule = RotationSchedule.every("6h");

scenarios("a state, next to what a fresh checkout synthesizes:", (stage) => {
  /** A stack in a folder with nothing but what is synthesized, and the state of another. */
  async function checkout(
    name: string,
    from: string | undefined,
    build: (stack: TerraformStack) => void,
  ): Promise<string> {
    const app = stage().synth((root) => void new StackOf(root, name, build));
    const folder = app.stackFolder(name);
    if (from !== undefined)
      cpSync(join(from, "terraform.tfstate"), join(folder, "terraform.tfstate"));
    await stage().succeed(folder, ["init"], {});
    return folder;
  }

  /** A rotating token, with its outputs, and a rotation. */
  function rotating(stack: TerraformStack, { identity = "identity", token = "kept" } = {}): void {
    const kept = new ServiceUserToken(stack, token, {
      identity: identityIn(stack, stage(), {}, identity),
      scope: TokenScope.account(),
      resolution: TokenResolution.ROTATING,
      schedule,
    });
    new TokenOutputs(stack, "ci", { token: kept });
    new TokenRotation(stack, "rotation", { schedule });
  }

  test("the last tokens are removed by the identity service alone, without credentials, and then the provider is not needed any more", async () => {
    const first = await checkout("main", undefined, (stack) => {
      rotating(stack);
      const identity = identityIn(stack, stage(), {}, "of-data");
      const token = webToken(stack, stage(), {
        id: "data",
        identity,
        resolution: TokenResolution.DATA,
      });
      new TokenOutputs(stack, "read", { token });
    });
    await stage().succeed(first, ["apply", "-auto-approve"]);
    expect(stage().requests()).toBe(2);

    const second = await checkout("main", first, (stack) => {
      for (const id of ["identity", "of-data"]) identityIn(stack, stage(), {}, id);
    });
    const removed = await stage().succeed(second, ["apply", "-auto-approve", "-no-color"], {});
    expect(removed.text).toMatch("0 added, 0 changed, 2 destroyed");
    expect(removed.text).toMatch("A removed IAM token stays valid");
    expect(stage().requests()).toBe(0);
    // Nothing is revoked.
    const { identity } = stage();
    expect(identity.issuedTokens().map((token) => identity.isValid(token))).toEqual([true, true]);
    expect(JSON.parse(readFileSync(join(second, "terraform.tfstate"), "utf8"))).toMatchObject({
      resources: [],
      outputs: {},
    });

    const third = await checkout("main", second, () => {});
    expect(existsSync(join(third, "terraform.d"))).toBe(false);
    expect((await stage().succeed(third, ["plan", "-no-color"], {})).text).toMatch("No changes.");
  });

  test("a rotating token stays when the stack, the identity service and, by a moved block, the token itself get other names", async () => {
    let folder = await checkout("main", undefined, (stack) => rotating(stack));
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    expect(stage().requests()).toBe(1);

    const moved = [{ from: "iam_token.kept", to: "iam_token.moved" }];
    for (const [name, build] of [
      ["main", (stack: TerraformStack) => rotating(stack, { identity: "login" })],
      ["tokens", (stack: TerraformStack) => rotating(stack, { identity: "login" })],
      [
        "tokens",
        (stack: TerraformStack) => {
          rotating(stack, { identity: "login", token: "moved" });
          stack.addOverride("moved", moved);
        },
      ],
    ] as const) {
      folder = await checkout(name, folder, build);
      const applied = await stage().succeed(folder, ["apply", "-auto-approve", "-no-color"]);
      expect(applied.text).toMatch("0 added, 0 changed, 0 destroyed");
    }
    expect(stage().requests()).toBe(0);
  });
});
