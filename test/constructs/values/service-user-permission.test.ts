import type { TerraformStack } from "cdktf";
import { ServiceUserPermission, ServiceUserToken, TokenScope } from "../../../lib";
import { identityIn, jsonOf, mistakesOf, testStack } from "../support";

function withPermission(
  stack: TerraformStack,
  permission: ServiceUserPermission | undefined,
  scope: TokenScope,
): void {
  const identity = identityIn(stack, "identity", permission && { permission });
  new ServiceUserToken(stack, "token", { identity, scope });
}

test.each([
  ["nothing is declared", undefined, TokenScope.account()],
  ["Account, and a token of the account", ServiceUserPermission.account(), TokenScope.account()],
  ["Account, and a token of a project", ServiceUserPermission.account(), TokenScope.project("web")],
  [
    "Projects, and a token of one of them",
    ServiceUserPermission.projects("shop", "web"),
    TokenScope.project("web"),
  ],
])("a token is declared where the permission allows it: %s", (_what, permission, scope) => {
  const stack = testStack();
  withPermission(stack, permission, scope);
  expect(mistakesOf(stack)).toEqual([]);
  expect(JSON.stringify(jsonOf(stack))).not.toContain("permission");
});
