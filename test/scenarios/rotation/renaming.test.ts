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
import { scenarios } from "../scenario";
import { identityIn, StackOf } from "../stacks";

interface Names {
  readonly stack: string;
  readonly identity: string;
  readonly token: string;
}

scenarios("a rotating token of a stack", (stage) => {
  /** The program as it is synthesized in a checkout of its own, with the state of another. */
  function checkout(
    names: Names,
    more: (stack: TerraformStack) => void = () => {},
    from?: string,
  ): string {
    const app = stage().synth(
      (root) =>
        void new StackOf(root, names.stack, (stack) => {
          const identity = identityIn(stack, stage(), {}, names.identity);
          const schedule = RotationSchedule.every("6h");
          const resolution = TokenResolution.ROTATING;
          const token = new ServiceUserToken(stack, names.token, {
            identity,
            scope: TokenScope.account(),
            resolution,
            schedule,
          });
          new TokenOutputs(stack, "ci", { token });
          new TokenRotation(stack, "rotation", { schedule });
          more(stack);
        }),
      join(stage().scratch.folder, Object.values(names).join("-")),
    );
    const folder = app.stackFolder(names.stack);
    if (from !== undefined)
      cpSync(join(from, "terraform.tfstate"), join(folder, "terraform.tfstate"));
    return folder;
  }

  test("stays when the stack, the identity service and, by a moved block, the token itself get other names", async () => {
    const names = { stack: "main", identity: "identity", token: "kept" };
    let folder = checkout(names);
    await stage().succeed(folder, ["init"], {});
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    expect(stage().requests()).toBe(1);

    for (const [changed, more] of [
      [{ ...names, identity: "login" }, undefined],
      [{ stack: "tokens", identity: "login", token: "kept" }, undefined],
      [
        { stack: "tokens", identity: "login", token: "moved" },
        (stack: TerraformStack) =>
          stack.addOverride("moved", [{ from: "iam_token.kept", to: "iam_token.moved" }]),
      ],
    ] as const) {
      folder = checkout(changed, more, folder);
      await stage().succeed(folder, ["init"], {});
      const applied = await stage().succeed(folder, ["apply", "-auto-approve", "-no-color"]);
      expect(applied.text).toMatch("0 added, 0 changed, 0 destroyed");
    }
    expect(stage().requests()).toBe(0);
  });
});
