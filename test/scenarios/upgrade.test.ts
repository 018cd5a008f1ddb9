import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  RotationSchedule,
  ServiceUserToken,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { packageRoot } from "../support/project";
import { type Build, HOUR, identityIn, scenarios } from "./world";

/** Made by the commit 52cba5f1, whose provider had neither rotate_at of a token nor version. */
const EARLIER = readFileSync(join(packageRoot, "test/scenarios/earlier-state.json"), "utf8");
const MADE_AT = Date.parse("2026-11-28T14:07:14Z");

/** The program of that state; the service is not there any more. */
const program =
  (every = "6h"): Build =>
  (stack) => {
    const identity = identityIn(stack, {
      identity: { authUrl: "http://127.0.0.1:45331" },
    } as never);
    const { account, project } = TokenScope;
    const rotating = (id: string, scope: TokenScope, options = {}) =>
      new ServiceUserToken(stack, id, {
        ...{ identity, scope, resolution: TokenResolution.rotating(options) },
      });
    rotating("plain", account());
    rotating("threshold", project("web"), {
      ...{ rotateWhenRemaining: "10h", keepers: { a: "1" }, revokeOnDestroy: true },
    });
    rotating("least", project("web"), { minRemaining: "13h" });
    new TokenRotation(stack, "rotation", { schedule: RotationSchedule.every("2h") });
    // Of the state: the schedules of that version had other numbers.
    stack.addOverride("resource.iam_rotation.rotation.rotate_every", every);
  };

// docs/compatibility.md: the plan of an unchanged program has no changes
scenarios(
  "a state of an earlier version",
  (stage) => {
    const planned = async (build: Build) => {
      const folder = stage().stack(build);
      writeFileSync(join(folder, "terraform.tfstate"), EARLIER);
      stage().clock.now = MADE_AT + HOUR;
      await stage().succeed(folder, "init");
      const { exitCode, stdout } = await stage().terraform(
        folder,
        "plan -no-color -detailed-exitcode",
      );
      return { folder, exitCode, stdout };
    };

    test("plans no change, and gets the new attributes with the next one", async () => {
      const { folder, exitCode } = await planned(program());
      expect(exitCode).toBe(0);
      // Terraform marks the new arguments of the rotation as sensitive.
      const unread = await stage().terraform(folder, "plan -no-color -refresh=false");
      expect(unread.stdout).toContain("0 to add, 1 to change, 0 to destroy");
      expect(unread.text).not.toMatch(/is rotated|is due/);
      await stage().succeed(folder, "apply -auto-approve");
      const { resources } = JSON.parse(readFileSync(join(folder, "terraform.tfstate"), "utf8"));
      const found = resources.map(({ name, instances: [{ attributes }] }: Instance) => {
        const { rotation, rotate_at, version } = attributes;
        return [name, rotation, rotate_at, version];
      });
      expect(found).toEqual([
        ["rotation", 1, "2026-11-28T20:07:14Z", MADE_AT / 1000],
        ["least", 1, "2026-11-29T01:07:14Z", undefined],
        ["plain", 1, "2026-11-29T02:07:14Z", undefined],
        ["threshold", 1, "2026-11-29T04:07:14Z", undefined],
      ]);
      expect(stage().requests()).toBe(0);
    });

    test("plans the changed number of a schedule in place", async () => {
      const { exitCode, stdout } = await planned(program("5h"));
      expect(exitCode).toBe(2);
      expect(stdout).toContain("0 to add, 1 to change, 0 to destroy");
    });
  },
  { clock: true },
);

interface Instance {
  readonly name: string;
  readonly instances: readonly [{ readonly attributes: Readonly<Record<string, unknown>> }];
}
