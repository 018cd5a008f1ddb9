import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { Resource } from "@cdktf/provider-null/lib/resource";
import { TerraformStack } from "cdktf";
import {
  RotationHook,
  type RotationHookProps,
  RotationSchedule,
  TokenResolution,
  TokenRotation,
} from "../../lib";
import { onPlatform } from "../support/platform";
import {
  AnyResource,
  accountToken,
  expectNoMistake,
  partOf,
  refusalsOf,
  testStack,
} from "./support";

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

const HOOK = "resource.null_resource.hook";
const COMMAND = `${HOOK}.provisioner.0.local-exec`;

const hookIn = (
  stack: TerraformStack,
  { token = rotatingIn(stack), ...more }: Partial<RotationHookProps> = {},
) => new RotationHook(stack, "hook", { token, command: "reload", ...more });

describe("the shell of a hook", () => {
  const there = (path: string) => `\${path.root != "" && fileexists("${path}")}`;

  it.each<
    [
      what: string,
      platform: NodeJS.Platform,
      interpreter: string[] | undefined,
      condition: string | undefined,
    ]
  >([
    [
      "the plan fails without /bin/sh, which is not named, on Linux",
      "linux",
      undefined,
      there("/bin/sh"),
    ],
    [
      "the plan fails without /bin/sh, named on Windows",
      "win32",
      ["/bin/sh", "-c"],
      there("/bin/sh"),
    ],
    [
      "the plan fails without a path of Windows, named on Linux",
      "linux",
      ["C:\\Git\\bin\\sh.exe", "-c"],
      there("C:\\\\Git\\\\bin\\\\sh.exe"),
    ],
    // Only the machine can find these.
    ["the plan does not look for a name alone", "win32", ["sh", "-c"], undefined],
    ["the plan does not look for a relative path", "linux", ["bin/sh", "-c"], undefined],
  ])("%s", (_what, platform, interpreter, condition) => {
    const stack = testStack();
    onPlatform(platform, () => hookIn(stack, interpreter && { interpreter }));
    expectNoMistake(stack);
    expect(partOf(stack, `${COMMAND}.interpreter`)).toEqual(interpreter ?? ["/bin/sh", "-c"]);
    const shell = JSON.stringify(interpreter?.[0] ?? "/bin/sh");
    const error_message = `This machine does not have ${shell}, which starts the RotationHook stack/hook. Declare the hook with interpreter, the shell of the machine that runs Terraform: on Windows the sh.exe of Git or MSYS2. [ERR_HOOK_SHELL_MISSING]`;
    expect(partOf(stack, `${HOOK}.lifecycle`)).toEqual(
      condition && { precondition: [{ condition, error_message }] },
    );
  });

  it("is named on Windows", () => {
    expect(onPlatform("win32", () => refusalsOf(hookIn))).toHaveLength(1);
  });
});

describe("a hook", () => {
  it("writes what the classes of @cdktf/provider-null would write", () => {
    const [ours, theirs] = [testStack(), testStack()];
    hookIn(ours);
    new NullProvider(theirs, "null", {});
    new Resource(theirs, "hook", {
      triggers: { rotation: "${iam_token.ci.id}/${iam_token.ci.rotation}" },
    });
    const {
      provisioner: _,
      lifecycle: __,
      "//": ___,
      ...own
    } = partOf(ours, HOOK) as object & {
      [name: string]: unknown;
    };
    expect(partOf(theirs, HOOK)).toMatchObject(own);
    expect(partOf(ours, "provider.null")).toEqual(partOf(theirs, "provider.null"));
  });

  it.each([
    ["a rotating token", rotatingIn, "iam_token.ci", "iam_token.ci"],
    ["a token that is pushed", pushedIn, "iam_rotation.rotation", "ephemeral.iam_token.pushed"],
  ])(
    "of %s runs after a rotation, with the token only in its environment",
    (_name, tokenIn, counted, token) => {
      const stack = testStack();
      const its = tokenIn(stack);
      hookIn(stack, { token: its, environment: { REGION: "r1" } });
      new AnyResource(stack, "user", { number: its.rotation });
      expectNoMistake(stack);
      expect(partOf(stack, "resource.any_thing.user.number")).toBe(`\${${counted}.rotation}`);
      expect(partOf(stack, `${HOOK}.triggers`)).toEqual({
        rotation: `\${${counted}.id}/\${${counted}.rotation}`,
      });
      expect(partOf(stack, COMMAND)).toMatchObject({
        command: 'exec sh -c "$IAM_TOKENS_HOOK"',
        environment: {
          IAM_TOKEN: `\${${token}.token}`,
          IAM_TOKEN_HEADER: "X-Auth-Token",
          IAM_TOKENS_HOOK_COMMAND: "reload",
          IAM_TOKENS_HOOK_NAME: stack.node.findChild("hook").node.addr.slice(0, 12),
          REGION: "r1",
        },
      });
    },
  );

  it("leaves ${…} in its command to the shell, and CDK tokens to Terraform", () => {
    const stack = testStack();
    const other = new AnyResource(stack, "other", {});
    const command = `curl "\${URL}/%{x}" $(id) '${other.getStringAttribute("address")}' $\${`;
    hookIn(stack, { command, variable: "API" });
    expect(partOf(stack, `${COMMAND}.environment`)).toMatchObject({
      API: "${iam_token.ci.token}",
      API_HEADER: "X-Auth-Token",
      IAM_TOKENS_HOOK_COMMAND: "curl \"$${URL}/%%{x}\" $(id) '${any_thing.other.address}' $$${",
    });
  });

  it("brings the provider of null_resource once if the stack has none, however many hooks there are", () => {
    const stack = testStack();
    const token = rotatingIn(stack);
    const first = new RotationHook(stack, "first", { token, command: "one" });
    const command = "x".repeat(65_536);
    new RotationHook(stack, "second", { token, command, dependsOn: [first, token] });
    expectNoMistake(stack);
    expect(partOf(stack, "provider.null")).toEqual([{}]);
    expect(partOf(stack, "terraform.required_providers.null")).toEqual({
      source: "null",
      version: "~> 3.0",
    });
    expect(partOf(stack, "resource.null_resource.second.depends_on")).toEqual([
      "null_resource.first",
      "iam_token.ci",
    ]);
  });

  const nullIn = (stack: TerraformStack) => new NullProvider(stack, "null", {});
  it.each<[what: string, all: unknown, ...declare: ((stack: TerraformStack) => unknown)[]]>([
    ["before it", [{}], nullIn, hookIn],
    ["after it", [{}], hookIn, nullIn],
    [
      "with an alias",
      expect.arrayContaining([{}, { alias: "other" }]),
      (stack) => new NullProvider(stack, "null", { alias: "other" }),
      hookIn,
    ],
    ["in a stack inside", [{}], hookIn, (stack) => nullIn(new TerraformStack(stack, "inner"))],
  ])("takes a null provider that is declared %s only as the default", (_what, all, ...declare) => {
    const stack = testStack();
    for (const each of declare) each(stack);
    expectNoMistake(stack);
    expect(partOf(stack, "provider.null")).toEqual(all);
  });
});
