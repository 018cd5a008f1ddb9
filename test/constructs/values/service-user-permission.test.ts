import type { TerraformStack } from "cdktf";
import { TerraformVariable } from "cdktf";
import {
  IdentityService,
  SecretRef,
  ServiceUserPermission,
  ServiceUserToken,
  TokenScope,
} from "../../../lib";
import { jsonOf, mistakesOf, testStack } from "../support";

function withPermission(
  stack: TerraformStack,
  permission: ServiceUserPermission | undefined,
  scope: TokenScope,
): void {
  const identity = new IdentityService(stack, "identity", {
    authUrl: "https://cloud.api.example.com",
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    ...(permission === undefined ? {} : { permission }),
  });
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

test("a project that only Terraform knows is passed over, on either side; the account is not", () => {
  const one = testStack();
  withPermission(
    one,
    ServiceUserPermission.projects("web"),
    TokenScope.project(new TerraformVariable(one, "p", {}).stringValue),
  );
  expect(mistakesOf(one)).toEqual([]);
  const two = testStack();
  withPermission(
    two,
    ServiceUserPermission.projects(new TerraformVariable(two, "p", {}).stringValue),
    TokenScope.project("web"),
  );
  expect(mistakesOf(two)).toEqual([]);
  const three = testStack();
  withPermission(
    three,
    ServiceUserPermission.projects(new TerraformVariable(three, "p", {}).stringValue),
    TokenScope.account(),
  );
  expect(mistakesOf(three).join()).toContain("[ERR_PERMISSION_INSUFFICIENT]");
});
