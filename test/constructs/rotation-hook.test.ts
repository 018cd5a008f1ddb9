import { spawnSync } from "node:child_process";
import type { TerraformStack } from "cdktf";
import {
  RotationHook,
  type RotationHookProps,
  RotationSchedule,
  TokenResolution,
  TokenRotation,
} from "../../lib";
import { accountToken, anyResource, expectNoMistake, partOf, testStack } from "./support";

const rotatingIn = (stack: TerraformStack) =>
  accountToken(stack, { resolution: TokenResolution.rotating() }, "ci");

const pushedIn = (stack: TerraformStack) =>
  accountToken(
    stack,
    {
      resolution: TokenResolution.ephemeral({
        rotateWith: new TokenRotation(stack, "rotation", {
          schedule: RotationSchedule.every("6h"),
        }),
      }),
    },
    "pushed",
  );

const HOOK = "resource.terraform_data.hook";
const COMMAND = `${HOOK}.provisioner.0.local-exec`;

const hookIn = (
  stack: TerraformStack,
  { token = rotatingIn(stack), ...more }: Partial<RotationHookProps> = {},
) => new RotationHook(stack, "hook", { token, command: "reload", ...more });

describe("a hook", () => {
  it.each([
    ["a rotating token", rotatingIn, "iam_token.ci", "iam_token.ci"],
    ["a token that is pushed", pushedIn, "iam_rotation.rotation", "ephemeral.iam_token.pushed"],
  ])(
    "of %s runs after a rotation, with the token only in its environment",
    (_name, tokenIn, counted, token) => {
      const stack = testStack();
      const its = tokenIn(stack);
      hookIn(stack, { token: its, environment: { REGION: "r1", IAM_TOKEN: "mine" } });
      anyResource(stack, "user", { number: its.rotation });
      expectNoMistake(stack);
      expect(partOf(stack, "resource.any_thing.user.number")).toBe(`\${${counted}.rotation}`);
      expect(partOf(stack, `${HOOK}.triggers_replace`)).toEqual({
        rotation: `\${${counted}.id}/\${${counted}.rotation}`,
      });
      expect(partOf(stack, COMMAND)).toMatchObject({
        command: 'exec sh -c "$IAM_TOKENS_HOOK_COMMAND" </dev/null >/dev/null 2>&1',
        interpreter: ["/bin/sh", "-c"],
        environment: {
          IAM_TOKEN: `\${${token}.token}`,
          IAM_TOKEN_HEADER: "X-Auth-Token",
          IAM_TOKENS_HOOK_COMMAND: "reload",
          REGION: "r1",
        },
      });
    },
  );

  it("leaves ${…} in its command to the shell, and CDK tokens to Terraform", () => {
    const stack = testStack();
    const other = anyResource(stack, "other", {});
    const command = `curl "\${URL}/%{x}" $(id) '${other.getStringAttribute("address")}' $\${`;
    hookIn(stack, { command, variable: "API" });
    expect(partOf(stack, `${COMMAND}.environment`)).toMatchObject({
      API: "${iam_token.ci.token}",
      API_HEADER: "X-Auth-Token",
      IAM_TOKENS_HOOK_COMMAND: "curl \"$${URL}/%%{x}\" $(id) '${any_thing.other.address}' $$${",
    });
  });

  it("waits for what it depends on", () => {
    const stack = testStack();
    const token = rotatingIn(stack);
    const first = new RotationHook(stack, "first", { token, command: "one" });
    hookIn(stack, { token, dependsOn: [first, token] });
    expectNoMistake(stack);
    expect(partOf(stack, `${HOOK}.depends_on`)).toEqual(["terraform_data.first", "iam_token.ci"]);
  });

  it.each([
    ["exit 3", 3],
    ["cat; true", 0],
  ])("passes on the exit code of %j, and prints nothing", (command, code) => {
    const stack = testStack();
    hookIn(stack, { command: `set -x; echo "$IAM_TOKEN"; ${command}` });
    const {
      command: line,
      interpreter,
      environment,
    } = partOf(stack, COMMAND) as {
      command: string;
      interpreter: [string, string];
      environment: { IAM_TOKENS_HOOK_COMMAND: string };
    };
    const env = { ...process.env, ...environment, IAM_TOKEN: "canary" };
    const [shell, ...args] = interpreter;
    const { status, stdout, stderr } = spawnSync(shell, [...args, line], { env, input: "x" });
    expect([status, `${stdout}${stderr}`]).toEqual([code, ""]);
  });
});
