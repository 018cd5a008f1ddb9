import { App, type TerraformStack } from "cdktf";
import {
  IdentityService,
  RotationHook,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  SynthTokens,
  TokenOutputs,
  TokenRotation,
  TokenScope,
} from "../../../lib";
import { EmbeddedProvider } from "../../../lib/constructs/embedded-provider";
import { packageRoot } from "../../support/project";
import { temporaryFolder } from "../../support/temporary-folder";
import { accountToken, mistakesOf, testStack } from "../support";

// Where a value of another kind would silently mean something else, it is refused at once.

const WRONG: readonly unknown[] = [undefined, null, "", 5, {}];

type Call = (value: never, stack: TerraformStack) => unknown;
const ofToken = (call: (token: ServiceUserToken, value: never) => unknown): Call => {
  return (value, stack) => call(accountToken(stack), value);
};

const lookedUp = (stack: TerraformStack, scope: TokenScope) =>
  accountToken(stack, { identity: new IdentityService(stack, "of"), scope });

/** What takes one value. */
const CALLS: Readonly<Record<string, Call>> = {
  "SecretRef.env": SecretRef.env,
  "SecretRef.file": SecretRef.file,
  "SecretRef.variable": SecretRef.variable,
  "SecretRef.fromTerraform": SecretRef.fromTerraform,
  "SecretRef.command": SecretRef.command,
  "SecretRef.githubActions": SecretRef.githubActions,
  // Without a project, the environment's would be meant.
  "TokenScope.project": (name, stack) => lookedUp(stack, TokenScope.project(name)),
  "TokenScope.projectById": (id, stack) => lookedUp(stack, TokenScope.projectById(id)),
  "RotationSchedule.every": (interval) => RotationSchedule.every(interval),
  "RotationSchedule.cron": (expression) => RotationSchedule.cron(expression),
  ...Object.fromEntries(
    [RotationHook, ServiceUserToken, StaticTokenRef, TokenOutputs, TokenRotation].map((its) => [
      its.name,
      (props, stack) => new its(stack, "t", props),
    ]),
  ),
  "EmbeddedProvider.getOrCreate": EmbeddedProvider.getOrCreate,
  headersFor: ofToken((token, value) => token.headersFor(value)),
  valueFor: ofToken((token, value) => token.valueFor(value)),
  environment: ofToken((token, value) => token.environment(value)),
  assertMayManage: ofToken((token, value) => token.assertMayManage(value)),
};

test.each(Object.entries(CALLS))("%s refuses what it cannot mean", (_what, call) => {
  for (const wrong of [...WRONG, []]) {
    const stack = testStack();
    const attempt = () => {
      call(wrong as never, stack);
      throw mistakesOf(stack).join();
    };
    expect(attempt).toThrow(/\[ERR_[A-Z_]+\]/);
    expect(attempt).not.toThrow(TypeError);
  }
});

test("a command that is one string is refused, not cut into letters", () => {
  expect(() => SecretRef.command("op read x" as never)).toThrow(/a list of strings.*PROP_INVALID/);
});

test("a stack of the other framework is refused, and the right package named", () => {
  const [cdktf, cdktn] = ["cdktf", "cdktn"].map((name) =>
    jest.requireActual<typeof import("cdktf")>(`${packageRoot}/node_modules/${name}`),
  );
  const [other, name] = cdktf?.App === App ? [cdktn, "cdktn"] : [cdktf, "cdktf"];
  const { App: Other, TerraformStack: Stack } = other as typeof import("cdktf");
  class Mine extends Stack {}
  const app = new Other({ outdir: temporaryFolder() });
  expect(() => EmbeddedProvider.getOrCreate(new Mine(app, "a"))).toThrow(
    `Install ${name}-iam-tokens in place of `,
  );
});

test("a pass before synthesis needs an app", () => {
  expect(() => new SynthTokens(undefined as never).resolve()).toThrow(
    /resolveTokens is missing .*PROP_INVALID/,
  );
});
