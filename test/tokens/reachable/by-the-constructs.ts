import { join } from "node:path";
import { TerraformStack, TerraformVariable, Testing } from "cdktf";
import * as cdktn from "cdktn";
import { Construct } from "constructs";
import {
  IdentityService,
  ProductArea,
  RotationHook,
  RotationSchedule,
  SecretRef,
  ServiceUserPermission,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../../lib";
import { assertInstalled } from "../../../lib/constructs/framework/usable";
import { loadNullPackage } from "../../../lib/constructs/rotation/null-provider";
import { updateLockFile } from "../../../lib/delivery/lock/lock-file";
import { readProviderFiles } from "../../../lib/delivery/provider-files";
import {
  AnyProvider,
  AnyResource,
  identityIn,
  jsonOf,
  mistakesOf,
  temporaryFolder,
  testApp,
  testStack,
} from "../../constructs/support";
import type { Producers } from "./producer";

function mistakes(build: (stack: TerraformStack) => void): string {
  const stack = testStack();
  build(stack);
  return mistakesOf(stack).join("\n");
}

const tokenIn = (stack: TerraformStack, id = "t", resolution = TokenResolution.EPHEMERAL) =>
  new ServiceUserToken(stack, id, {
    identity: identityIn(stack, `of-${id}`),
    scope: TokenScope.account(),
    resolution,
  });

/** The codes of synthesis. */
export const BY_THE_CONSTRUCTS: Producers = {
  ERR_SECRET_IN_PLAN: () =>
    mistakes((stack) => {
      const variable = new TerraformVariable(stack, "pw", { sensitive: true });
      const source = SecretRef.fromTerraform(variable.stringValue);
      new StaticTokenRef(stack, "t", { source });
    }),
  ERR_SECRET_LITERAL: () =>
    mistakes((stack) => {
      // As JavaScript lets it through.
      const password = "literal" as unknown as SecretRef;
      new IdentityService(stack, "i", {
        authUrl: "https://a.test",
        accountId: "1",
        serviceUser: { name: "u", password },
      });
    }),
  ERR_PROP_INVALID: () =>
    mistakes(
      (stack) => void new StaticTokenRef(stack, "t", { source: undefined as unknown as SecretRef }),
    ),
  ERR_FRAMEWORK_MISMATCH: () => {
    const stack = new cdktn.TerraformStack(new cdktn.App({ outdir: temporaryFolder() }), "a");
    return identityIn(stack as unknown as TerraformStack, "i");
  },
  ERR_FRAMEWORK_UNSUPPORTED: () => assertInstalled(() => ({})),
  ERR_PEER_MISSING: () =>
    loadNullPackage(() => {
      throw Object.assign(new Error("Cannot find module '@cdktf/provider-null'"), {
        code: "MODULE_NOT_FOUND",
      });
    }),
  ERR_HOOK_SHELL_MISSING: () => {
    const stack = testStack();
    const token = tokenIn(stack, "t", TokenResolution.ROTATING);
    new RotationHook(stack, "hook", { token, command: "reload" });
    // Terraform says it, where the shell is missing.
    return JSON.stringify(jsonOf(stack));
  },
  ERR_ROTATING_MISPLACED: () =>
    mistakes(
      (stack) =>
        void new AnyProvider(stack, { token: tokenIn(stack, "t", TokenResolution.ROTATING).value }),
    ),
  ERR_BASE_URL_MISSING: () =>
    mistakes(
      (stack) =>
        void new StaticTokenRef(stack, "t", { source: SecretRef.env("T"), requireBaseUrl: true }),
    ),
  ERR_KIND_UNSUITABLE: () =>
    mistakes((stack) => tokenIn(stack).assertMayManage(ProductArea.AUDIT_LOGS)),
  ERR_PERMISSION_INSUFFICIENT: () =>
    mistakes((stack) => {
      const identity = new IdentityService(stack, "i", {
        authUrl: "https://a.test",
        accountId: "1",
        serviceUser: { name: "u", password: SecretRef.env("P") },
        permission: ServiceUserPermission.projects("web"),
      });
      new ServiceUserToken(stack, "t", { identity, scope: TokenScope.account() });
    }),
  ERR_ADDRESS_NOT_KNOWN: () =>
    mistakes((stack) => void IdentityService.fromCloud(stack, "i", "prod").keystoneUrl),
  ERR_PROVIDER_FILES_MISSING: () => readProviderFiles(),
  ERR_WRITE_FAILED: () =>
    updateLockFile(
      join(temporaryFolder(), "not-there"),
      { source: "npm.invalid/cdktf-iam-tokens/iam", version: "0.1.0", hashes: ["h1:x"] },
      [],
    ),
  ERR_HCL_OUTPUT: () => {
    const stack = testStack();
    tokenIn(stack);
    return Testing.synthHcl(stack);
  },
  ERR_STATIC_TOKEN_IN_STATE: () =>
    mistakes(
      (stack) =>
        void new StaticTokenRef(stack, "t", {
          source: SecretRef.env("T"),
          resolution: TokenResolution.DATA,
        }),
    ),
  ERR_NAME_TAKEN: () =>
    mistakes((stack) => {
      tokenIn(stack, "my.token");
      tokenIn(stack, "mytoken");
    }),
  ERR_STACK_FOLDER_TAKEN: () =>
    mistakes((stack) => {
      tokenIn(stack);
      new TerraformStack(new Construct(stack, "inner"), stack.node.id);
    }),
  ERR_OUTPUT_NAME_TAKEN: () =>
    mistakes((stack) => {
      const token = tokenIn(stack, "t", TokenResolution.DATA);
      new TokenOutputs(stack, "a", { token, prefix: "ci" });
      new TokenOutputs(stack, "b", { token, prefix: "ci" });
    }),
  ERR_EPHEMERAL_OUTPUT: () =>
    mistakes((stack) => void new TokenOutputs(stack, "o", { token: tokenIn(stack) })),
  ERR_SCHEDULE_INVALID: () => RotationSchedule.cron("0 0 30 2 *").problem,
  ERR_SCHEDULE_GAP: () => RotationSchedule.every("12h").problem,
  ERR_EPHEMERAL_MISPLACED: () =>
    mistakes(
      (stack) => void new AnyResource(stack, "r", { triggers: { token: tokenIn(stack).value } }),
    ),
  ERR_TOKEN_MISPLACED: () =>
    mistakes((stack) => stack.addOverride("terraform.backend.http.password", tokenIn(stack).value)),
  ERR_OTHER_STACK: () => {
    const app = testApp();
    const stack = new TerraformStack(app, "stack");
    new ServiceUserToken(stack, "t", {
      identity: identityIn(new TerraformStack(app, "other")),
      scope: TokenScope.account(),
    });
    return mistakesOf(stack).join("\n");
  },
};
