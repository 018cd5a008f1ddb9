import { NullProvider } from "@cdktf/provider-null/lib/provider";
import type { TerraformStack } from "cdktf";
import {
  RotationHook,
  RotationSchedule,
  ServiceUserToken,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { loadNullPackage } from "../../lib/constructs/rotation/null-provider";
import { onPlatform } from "../support/platform";
import { AnyResource, accountToken, identityIn, mistakesOf, partOf, testStack } from "./support";

const SCHEDULE = RotationSchedule.every("6h");

const rotatingIn = (stack: TerraformStack, resolution = TokenResolution.ROTATING) =>
  accountToken(stack, { resolution }, "ci");

const pushedIn = (stack: TerraformStack) =>
  new ServiceUserToken(stack, "pushed", {
    identity: identityIn(stack, "other"),
    scope: TokenScope.account(),
    rotateWith: new TokenRotation(stack, "rotation", { schedule: SCHEDULE }),
  });

type Provisioner = {
  readonly "local-exec": {
    readonly command: string;
    readonly environment: Readonly<Record<string, string>>;
  };
};

const provisionerOf = (stack: TerraformStack, name = "hook") =>
  (partOf(stack, `resource.null_resource.${name}.provisioner`) as readonly Provisioner[])[0]?.[
    "local-exec"
  ];

describe("a hook on Windows", () => {
  const hook = (interpreter?: string[], platform: NodeJS.Platform = "win32") => {
    const stack = testStack();
    onPlatform(
      platform,
      () =>
        new RotationHook(stack, "hook", {
          token: rotatingIn(stack),
          command: "reload",
          ...(interpreter === undefined ? {} : { interpreter }),
        }),
    );
    return stack;
  };

  it.each([[["C:\\Program Files\\Git\\bin\\sh.exe", "-c"]], [["/bin/sh", "-c"]]])(
    "is started by %j",
    (interpreter) => {
      for (const platform of ["win32", "linux"] as const) {
        const stack = hook(interpreter, platform);
        expect(mistakesOf(stack)).toEqual([]);
        expect(provisionerOf(stack)).toMatchObject({ interpreter });
      }
    },
  );

  it.each([
    [["/bin/sh", "-c"], '${path.root != "" && fileexists("/bin/sh")}'],
    [
      ["C:\\Program Files\\Git\\bin\\sh.exe", "-c"],
      '${path.root != "" && fileexists("C:\\\\Program Files\\\\Git\\\\bin\\\\sh.exe")}',
    ],
  ])("fails the plan if %j is missing", (interpreter, condition) => {
    const [first] = partOf(
      hook(interpreter),
      "resource.null_resource.hook.lifecycle.precondition",
    ) as readonly { readonly condition: string; readonly error_message: string }[];
    expect(first?.condition).toBe(condition);
    expect(first?.error_message).toMatch(
      /^This machine does not have ".*sh.*", which starts the RotationHook .*hook\..*interpreter.*\[ERR_HOOK_SHELL_MISSING\]$/,
    );
  });

  it.each([[["sh", "-c"]], [["bin/sh", "-c"]]])(
    "is planned with %j, which only the machine can find",
    (interpreter) => {
      expect(partOf(hook(interpreter), "resource.null_resource.hook")).not.toHaveProperty(
        "lifecycle",
      );
    },
  );
});

describe("a hook", () => {
  it.each([
    ["a rotating token", rotatingIn, "iam_token.ci", "iam_token.ci"],
    ["a token that is pushed", pushedIn, "iam_rotation.rotation", "ephemeral.iam_token.pushed"],
  ])(
    "of %s runs after a rotation, with the token only in its environment",
    (_name, tokenIn, counted, token) => {
      const stack = testStack();
      new RotationHook(stack, "hook", {
        token: tokenIn(stack),
        command: "reload",
        environment: { REGION: "r1" },
      });
      expect(mistakesOf(stack)).toEqual([]);
      expect(partOf(stack, "resource.null_resource.hook.triggers")).toEqual({
        rotation: `\${${counted}.id}/\${${counted}.rotation}`,
      });
      const provisioner = provisionerOf(stack);
      expect(provisioner?.command).toBe('exec sh -c "$IAM_TOKENS_HOOK"');
      expect(provisioner?.environment).toMatchObject({
        IAM_TOKEN: `\${${token}.token}`,
        IAM_TOKEN_HEADER: "X-Auth-Token",
        IAM_TOKENS_HOOK_COMMAND: "reload",
        IAM_TOKENS_HOOK_NAME: stack.node.findChild("hook").node.addr.slice(0, 12),
        REGION: "r1",
      });
    },
  );

  it("leaves ${…} in its command to the shell, and CDK tokens to Terraform", () => {
    const stack = testStack();
    const other = new AnyResource(stack, "other", {});
    const command = `curl "\${URL}/%{x}" $(id) '${other.getStringAttribute("address")}' $\${`;
    new RotationHook(stack, "hook", { token: rotatingIn(stack), command, variable: "API" });
    expect(provisionerOf(stack)?.environment).toMatchObject({
      API: "${iam_token.ci.token}",
      API_HEADER: "X-Auth-Token",
      IAM_TOKENS_HOOK_COMMAND: "curl \"$${URL}/%%{x}\" $(id) '${any_thing.other.address}' $$${",
    });
  });

  it("brings the provider of null_resource once if the stack has none, however many hooks there are", () => {
    const stack = testStack();
    const token = rotatingIn(stack);
    const first = new RotationHook(stack, "first", { token, command: "one" });
    new RotationHook(stack, "second", { token, command: "two", dependsOn: [first, token] });
    expect(mistakesOf(stack)).toEqual([]);
    expect(partOf(stack, "provider.null")).toEqual([{}]);
    expect(partOf(stack, "terraform.required_providers.null")).toMatchObject({ source: "null" });
    expect(partOf(stack, "resource.null_resource.second.depends_on")).toEqual([
      "null_resource.first",
      "iam_token.ci",
    ]);
  });

  it.each(["before", "after"])(
    "takes the stack's own null provider that is declared %s it",
    (when) => {
      const stack = testStack();
      if (when === "before") new NullProvider(stack, "null");
      new RotationHook(stack, "hook", { token: rotatingIn(stack), command: "reload" });
      if (when === "after") new NullProvider(stack, "null");
      expect(mistakesOf(stack)).toEqual([]);
      expect(partOf(stack, "provider.null")).toEqual([{}]);
    },
  );

  it("does not take a provider with an alias for it", () => {
    const stack = testStack();
    new NullProvider(stack, "null", { alias: "other" });
    new RotationHook(stack, "hook", { token: rotatingIn(stack), command: "reload" });
    expect(partOf(stack, "provider.null")).toEqual(
      expect.arrayContaining([{}, { alias: "other" }]),
    );
  });

  it("names the missing package that it needs, and passes on other faults of the package", () => {
    const missing = (name: string) =>
      Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
    const load = (error: Error) => () =>
      loadNullPackage(() => {
        throw error;
      });
    expect(load(missing("@cdktf/provider-null"))).toThrow(
      /npm install @cdktf\/provider-null.*ERR_PEER_MISSING/,
    );
    expect(load(missing("one-that-it-needs"))).toThrow(/^Cannot find module 'one-that-it-needs'$/);
    expect(load(new Error("its own"))).toThrow("its own");
  });
});
