import type { TerraformStack } from "cdktf";
import { TerraformVariable } from "cdktf";
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

test("a token of the account under the access area Projects is refused, with the service's rule", () => {
  const stack = testStack();
  withPermission(stack, ServiceUserPermission.projects("web"), TokenScope.account());
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(
      /^\[stack\/token\] A token for the account cannot be issued: .*Projects \("web"\)\. The service's rule: "When the service user's permission has the access area Account selected, then an account-scoped token can be issued\." .*\[ERR_PERMISSION_INSUFFICIENT\]$/,
    ),
  ]);
});

test("a token of a project that is not chosen is refused, with the service's rule", () => {
  const stack = testStack();
  withPermission(stack, ServiceUserPermission.projects("web", "shop"), TokenScope.project("mail"));
  expect(mistakesOf(stack).join()).toMatch(
    /A token for the project "mail" cannot be issued: .*Projects \("web", "shop"\)\. The service's rule: "When the service user's permission has the access area Account selected, or has the access area Projects selected with the requested project chosen, then a project-scoped token can be issued\."/,
  );
});

test.each([
  ["of the token", (p: string) => ["web", TokenScope.project(p)] as const, []],
  ["of the permission", (p: string) => [p, TokenScope.project("web")] as const, []],
  [
    "of the permission, for a token of the account: refused",
    (p: string) => [p, TokenScope.account()] as const,
    [expect.stringContaining("[ERR_PERMISSION_INSUFFICIENT]")],
  ],
])("a project that only Terraform knows is passed over: %s", (_what, given, mistakes) => {
  const stack = testStack();
  const [permitted, scope] = given(new TerraformVariable(stack, "p", {}).stringValue);
  withPermission(stack, ServiceUserPermission.projects(permitted), scope);
  expect(mistakesOf(stack)).toEqual(mistakes);
});
