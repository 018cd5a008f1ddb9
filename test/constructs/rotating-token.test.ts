import { Fn, TerraformLocal, type TerraformStack } from "cdktf";
import {
  RotationSchedule,
  ServiceUserToken,
  type ServiceUserTokenProps,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { AnyProvider, AnyResource, identityIn, mistakesOf, partOf, testStack } from "./support";

const rotatingIn = (stack: TerraformStack, props: Partial<ServiceUserTokenProps> = {}, id = "ci") =>
  new ServiceUserToken(stack, id, {
    identity: identityIn(stack, `identity-of-${id}`),
    scope: TokenScope.project("web"),
    resolution: TokenResolution.ROTATING,
    ...props,
  });

describe("a rotating token", () => {
  it("is a managed resource, whose threshold follows from the schedule", () => {
    const stack = testStack();
    rotatingIn(stack, {
      schedule: RotationSchedule.every("6h"),
      keepers: { release: "007" },
      revokeOnDestroy: true,
    });
    expect(mistakesOf(stack)).toEqual([]);
    expect(partOf(stack, "resource.iam_token.ci")).toMatchObject({
      provider: "iam.identity-of-ci",
      scope: "project",
      project_name: "web",
      // 2 x 6h + 15m + 30m, and 5m of the clocks.
      rotate_when_remaining: "12h50m",
      keepers: { release: "007" },
      revoke_on_destroy: true,
    });
  });

  it("leaves the threshold to the provider if neither it nor a schedule is given", () => {
    const stack = testStack();
    rotatingIn(stack);
    expect(partOf(stack, "resource.iam_token.ci")).not.toHaveProperty("rotate_when_remaining");
  });

  it("gives its number, and an id of each rotation, to outputs and arguments", () => {
    const stack = testStack();
    const token = rotatingIn(stack);
    new TokenOutputs(stack, "ci_token", { token });
    new AnyResource(stack, "pushed", {
      value: token.value,
      version: token.rotation,
      id_of_rotation: token.rotationId,
    });
    expect(mistakesOf(stack)).toEqual([]);
    expect(partOf(stack, "resource.any_thing.pushed")).toMatchObject({
      value: "${iam_token.ci.token}",
      version: "${iam_token.ci.rotation}",
      id_of_rotation: "${iam_token.ci.id}/${iam_token.ci.rotation}",
    });
    expect(partOf(stack, "output.ci_token_value")).toMatchObject({
      value: "${iam_token.ci.token}",
      sensitive: true,
    });
  });

  it.each<{
    readonly name: string;
    readonly use: (stack: TerraformStack, token: ServiceUserToken) => unknown;
  }>([
    { name: "directly", use: (_, { value }) => value },
    { name: "in a map of headers", use: (_, { headers }) => headers },
    { name: "in a function", use: (_, { value }) => Fn.base64encode(value) },
    {
      name: "through a local value",
      use: (stack, { value }) => new TerraformLocal(stack, "kept", value).asString,
    },
    {
      name: "through two",
      use: (stack, { value }) =>
        new TerraformLocal(stack, "second", new TerraformLocal(stack, "first", value).asString)
          .asString,
    },
  ])("is refused in a provider block: $name", ({ use }) => {
    const stack = testStack();
    const token = rotatingIn(stack);
    new AnyProvider(stack, { token: use(stack, token) });
    const mistakes = mistakesOf(stack);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(/^\[stack\/ci\] .*\[ERR_ROTATING_MISPLACED\]$/);
    expect(mistakes[0]).toMatch("TokenResolution.EPHEMERAL");
  });

  it.each(["rotateWhenRemaining", "minRemaining"])(
    "names the duration that cannot be read: %s",
    (name) => {
      const stack = testStack();
      rotatingIn(stack, { [name]: "often" });
      expect(mistakesOf(stack)).toEqual([
        expect.stringContaining(` ${name}: "often" is not a duration.`),
      ]);
    },
  );
});
