import { Construct } from "constructs";
import { RotationSchedule, ServiceUserToken, TokenRotation, TokenScope } from "../../../lib";
import { fullSynth, identityIn, jsonOf, mistakesOf, testStack } from "../support";

// cdktn requires constructs before 10.8, and jsii one version for all that it compiles: all else
// here uses that one, and cdktf accepts this one as well.
jest.mock("constructs", () => jest.requireActual("constructs-newest"));

test("tokens are declared and delivered with the newest constructs", () => {
  const { version } = jest.requireActual("constructs-newest/package.json");
  expect(version).toMatch(/^10\.8\./);
  const stack = testStack();
  expect(stack).toBeInstanceOf(Construct);
  const rotation = new TokenRotation(stack, "rotation", { schedule: RotationSchedule.every("6h") });
  const [identity, scope] = [identityIn(new Construct(stack, "room")), TokenScope.project("web")];
  new ServiceUserToken(stack, "web", { identity, scope, rotateWith: rotation });
  expect(mistakesOf(stack)).toEqual([]);
  expect(jsonOf(stack)).toMatchObject({
    ephemeral: { iam_token: expect.anything() },
    resource: { iam_rotation: { rotation: expect.anything() } },
  });
  fullSynth(stack);
});
