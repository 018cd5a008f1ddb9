import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as Own from "../../../lib";
import { packageRoot } from "../../support/project";
import type * as Support from "../support";

// cdktn requires constructs before 10.8, and jsii one version for all that it compiles: all else
// here uses that one.
const { peerDependencies, devDependencies } = JSON.parse(
  readFileSync(join(packageRoot, "package.json"), "utf8"),
);

describe.each([
  ["constructs-oldest", peerDependencies.constructs.replace("^", "")],
  ["constructs-newest", "10.8."],
])("%s", (name, version) => {
  jest.isolateModules(() => {
    jest.doMock("constructs", () => jest.requireActual(name));
    const { Construct } = require("constructs") as typeof import("constructs");
    const { RotationSchedule, TokenResolution, TokenRotation } =
      require("../../../lib") as typeof Own;
    const { accountToken, expectNoMistake, fullSynth, jsonOf, testStack } =
      require("../support") as typeof Support;

    test("declares and delivers tokens", () => {
      expect(jest.requireActual(`${name}/package.json`).version).toContain(version);
      const stack = testStack();
      expect(stack).toBeInstanceOf(Construct);
      const rotateWith = new TokenRotation(stack, "rotation", {
        schedule: RotationSchedule.every("6h"),
      });
      const resolution = TokenResolution.ephemeral({ rotateWith });
      accountToken(new Construct(stack, "room"), { resolution });
      expectNoMistake(stack);
      expect(jsonOf(stack)).toMatchObject({
        ephemeral: { iam_token: expect.anything() },
        resource: { iam_rotation: { rotation: expect.anything() } },
      });
      fullSynth(stack);
    });
  });
});

/**
 * The oldest version of each range is the one that all tests use. A range that allows a newer one,
 * which is installed here, is tested with that one; cdktf and cdktn have no other yet.
 */
test("the frameworks that the tests use are the oldest that the ranges allow", () => {
  const versionOf = (name: string): string => jest.requireActual(`${name}/package.json`).version;
  expect(peerDependencies.cdktf).toBe(`^${versionOf("cdktf")}`);
  expect(devDependencies.cdktn).toBe(versionOf("cdktn"));
});
