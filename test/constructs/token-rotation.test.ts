import { TerraformStack as Stack, TerraformOutput, type TerraformStack } from "cdktf";
import { RotationSchedule, type ServiceUserTokenProps, TokenRotation } from "../../lib";
import { AnyResource, accountToken, mistakesOf, partOf, testApp, testStack } from "./support";

const SCHEDULE = RotationSchedule.every("6h");

const pushedIn = (
  stack: TerraformStack,
  rotateWith: TokenRotation,
  props: Partial<ServiceUserTokenProps> = {},
) => accountToken(stack, { rotateWith, ...props }, "pushed");

describe("a rotation", () => {
  it("counts by its schedule, and gives the token that is pushed the life that the schedule needs", () => {
    const stack = testStack();
    const rotation = new TokenRotation(stack, "rotation", {
      schedule: SCHEDULE,
      keepers: { release: "1" },
    });
    const pushed = pushedIn(stack, rotation);
    new AnyResource(stack, "secret", {
      value_wo: pushed.value,
      value_wo_version: pushed.rotation,
      name: pushed.rotationId,
    });
    new TerraformOutput(stack, "rotate_at", { value: rotation.rotateAt });
    expect(mistakesOf(stack)).toEqual([]);
    expect(partOf(stack, "resource.iam_rotation.rotation")).toMatchObject({
      rotate_every: SCHEDULE.rotateEvery,
      keepers: { release: "1" },
    });
    expect(partOf(stack, "ephemeral.iam_token.pushed")).toMatchObject({
      min_remaining: SCHEDULE.minRemaining,
    });
    expect(partOf(stack, "resource.any_thing.secret")).toMatchObject({
      value_wo: "${ephemeral.iam_token.pushed.token}",
      value_wo_version: "${iam_rotation.rotation.rotation}",
      name: "${iam_rotation.rotation.id}/${iam_rotation.rotation.rotation}",
    });
    expect(partOf(stack, "output.rotate_at.value")).toBe("${iam_rotation.rotation.rotate_at}");
  });

  it("works without a token, and brings the provider", () => {
    const stack = testStack();
    const rotation = new TokenRotation(stack, "rotation", { schedule: SCHEDULE });
    new AnyResource(
      stack,
      "triggered",
      { triggers: { rotation: rotation.rotationId } },
      { dependsOn: [rotation] },
    );
    expect(mistakesOf(stack)).toEqual([]);
    expect(partOf(stack, "terraform.required_providers.iam")).toBeDefined();
    expect(partOf(stack, "resource.any_thing.triggered")).toMatchObject({
      triggers: { rotation: "${iam_rotation.rotation.id}/${iam_rotation.rotation.rotation}" },
      depends_on: ["iam_rotation.rotation"],
    });
  });

  it("goes with its token into another stack", () => {
    const app = testApp();
    const [one, two] = [new Stack(app, "one"), new Stack(app, "two")];
    const there = pushedIn(
      one,
      new TokenRotation(one, "rotation", { schedule: SCHEDULE }),
    ).reopenIn(two);
    new AnyResource(two, "secret", { value_wo: there.value, value_wo_version: there.rotation });
    expect(mistakesOf(two)).toEqual([]);
    expect(Object.keys(partOf(two, "resource.iam_rotation") as object)).toHaveLength(1);
  });
});

describe("a token that is pushed", () => {});
