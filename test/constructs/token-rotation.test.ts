import { TerraformStack as Stack, TerraformOutput, type TerraformStack } from "cdktf";
import {
  RotationSchedule,
  type ServiceUserTokenProps,
  TokenResolution,
  TokenRotation,
  type TokenRotationProps,
} from "../../lib";
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

  it.each<[string, Partial<Record<keyof TokenRotationProps, unknown>>, string]>([
    ["without a schedule", {}, "ERR_PROP_INVALID"],
    ["with a string as schedule", { schedule: "6h" }, "ERR_PROP_INVALID"],
    // 2 x 11h and the rest are less than 24h, but not with what pushing takes.
    [
      "whose schedule leaves a gap for what is pushed",
      { schedule: RotationSchedule.every("11h20m") },
      "ERR_SCHEDULE_GAP",
    ],
    [
      "whose schedule leaves a gap",
      { schedule: RotationSchedule.every("12h") },
      "ERR_SCHEDULE_GAP",
    ],
    [
      "whose schedule never comes",
      { schedule: RotationSchedule.cron("0 0 31 2 *") },
      "ERR_SCHEDULE_INVALID",
    ],
    [
      "with keepers that are not strings",
      { schedule: SCHEDULE, keepers: { a: {} } },
      "ERR_PROP_INVALID",
    ],
    [
      "with a property that it does not have",
      { schedule: SCHEDULE, every: "6h" } as object,
      "ERR_PROP_INVALID",
    ],
  ])("%s is refused", (_name, props, code) => {
    const stack = testStack();
    new TokenRotation(stack, "rotation", props as unknown as TokenRotationProps);
    const mistakes = mistakesOf(stack);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(code);
  });
});

describe("a token that is pushed", () => {
  it.each<[string, Partial<ServiceUserTokenProps>]>([
    ["revoked when Terraform is done with it", { revokeOnClose: true }],
    ["given another minRemaining", { minRemaining: "2h" }],
    ["rotating by itself", { resolution: TokenResolution.ROTATING }],
    ["of a data source", { resolution: TokenResolution.DATA }],
    ["with something else as rotation", { rotateWith: SCHEDULE as unknown as TokenRotation }],
  ])("cannot be %s", (_name, props) => {
    const stack = testStack();
    pushedIn(stack, new TokenRotation(stack, "rotation", { schedule: SCHEDULE }), props);
    const mistakes = mistakesOf(stack);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(/(revokeOnClose|minRemaining|rotateWith).*ERR_PROP_INVALID/);
  });

  it("cannot be one that has to live longer than a token does", () => {
    const stack = testStack();
    const schedule = RotationSchedule.every("6h", { lifetime: "48h" });
    pushedIn(stack, new TokenRotation(stack, "rotation", { schedule }));
    expect(mistakesOf(stack)).toEqual([
      expect.stringMatching(
        /rotation's schedule requires is 1 d 23 h, but an IAM token lives only 1 d.*\[ERR_LIFETIME_TOO_SHORT\]/,
      ),
    ]);
  });

  it("has a rotation of its own stack", () => {
    const app = testApp();
    const [one, two] = [new Stack(app, "one"), new Stack(app, "two")];
    pushedIn(two, new TokenRotation(one, "rotation", { schedule: SCHEDULE }));
    expect(mistakesOf(two).join()).toMatch("ERR_OTHER_STACK");
  });
});
