import { cpSync } from "node:fs";
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
import { type Scenario, scenarios } from "../scenario";
import { identityIn, StackOf } from "../stacks";

scenarios("the last rotating token of a stack", (stage) => {
  /** A checkout with nothing in it but what is synthesized, and the state. */
  function checkout(
    name: string,
    build: (stack: TerraformStack, stage: Scenario) => void,
    from?: string,
  ): string {
    const app = stage().synth(
      (root) => void new StackOf(root, "main", (stack) => build(stack, stage())),
      join(stage().scratch.folder, name),
    );
    const folder = app.stackFolder("main");
    if (from !== undefined)
      cpSync(join(from, "terraform.tfstate"), join(folder, "terraform.tfstate"));
    return folder;
  }

  test("is removed from a fresh checkout with the identity service alone, without credentials, and then the provider is not needed any more", async () => {
    const schedule = RotationSchedule.every("6h");
    const first = checkout("first", (stack, it) => {
      const identity = identityIn(stack, it);
      const token = new ServiceUserToken(stack, "kept", {
        identity,
        scope: TokenScope.account(),
        resolution: TokenResolution.ROTATING,
        schedule,
      });
      new TokenOutputs(stack, "ci", { token });
      new TokenRotation(stack, "rotation", { schedule });
    });
    await stage().succeed(first, ["init"], {});
    await stage().succeed(first, ["apply", "-auto-approve"]);
    expect(stage().requests()).toBe(1);

    const second = checkout("second", (stack, it) => void identityIn(stack, it), first);
    await stage().succeed(second, ["init"], {});
    const removed = await stage().succeed(second, ["apply", "-auto-approve", "-no-color"], {});
    expect(removed.text).toMatch("0 added, 0 changed, 2 destroyed");
    expect(removed.text).toMatch("A removed IAM token stays valid");
    expect(stage().requests()).toBe(0);
    // Nothing is revoked.
    const { identity } = stage();
    expect(identity.issuedTokens().map((token) => identity.isValid(token))).toEqual([true]);

    const third = checkout("third", () => {}, second);
    await stage().succeed(third, ["init"], {});
    expect((await stage().succeed(third, ["plan", "-no-color"], {})).text).toMatch("No changes.");
  });
});
