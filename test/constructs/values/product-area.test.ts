import type { TerraformStack } from "cdktf";
import {
  type IAuthenticationToken,
  MayManage,
  ProductArea,
  ProductAreas,
  SecretRef,
  ServiceUserPermission,
  ServiceUserToken,
  StaticTokenRef,
  TokenKind,
  TokenScope,
} from "../../../lib";
import { PRODUCT_AREAS } from "../../../lib/tokens";
import { annotationsOf, identityIn, jsonOf, mistakesOf, testStack } from "../support";

const iamToken = (stack: TerraformStack, scope: TokenScope): IAuthenticationToken =>
  new ServiceUserToken(stack, "token", { identity: identityIn(stack), scope });

test("the areas are those of the service's description", () => {
  expect(Object.values(ProductArea).sort()).toEqual(Object.keys(PRODUCT_AREAS).sort());
  for (const [name, value] of Object.entries(ProductArea)) expect(name).toBe(value.toUpperCase());
});

test("a token knows what it may manage: yes, no, or unknown", () => {
  const web = iamToken(testStack(), TokenScope.project("web"));
  expect(web.mayManage(ProductArea.CLOUD_DATABASES)).toBe(MayManage.YES);
  expect(web.mayManage(ProductArea.GLOBAL_ROUTER)).toBe(MayManage.NO);
  expect(web.mayManage(ProductArea.DNS_HOSTING)).toBe(MayManage.UNKNOWN);
  const dns = new StaticTokenRef(testStack(), "dns", { source: SecretRef.env("STATIC_TOKEN") });
  expect(dns.mayManage(ProductArea.DNS_HOSTING)).toBe(MayManage.YES);
  expect(dns.mayManage(ProductArea.OPENSTACK_API_OBJECTS)).toBe(MayManage.NO);
});

test("mayManage itself reports neither a mistake nor a warning", () => {
  const stack = testStack();
  iamToken(stack, TokenScope.account()).mayManage(ProductArea.AUDIT_LOGS);
  expect(mistakesOf(stack)).toEqual([]);
  expect(annotationsOf(stack, "warn")).toEqual([]);
});

test("an undocumented permission is a warning, not an error", () => {
  const stack = testStack();
  iamToken(stack, TokenScope.project("web")).assertMayManage(ProductArea.TICKETS);
  expect(mistakesOf(stack)).toEqual([]);
  expect(annotationsOf(stack, "warn")).toEqual([
    "stack/token: The documentation does not say whether a token of the kind iam_token_project_scoped may manage tickets; these may: static_token. [WARN_MAY_MANAGE_UNKNOWN]",
  ]);
});

test("lists the token kinds of an area without a token", () => {
  expect(ProductAreas.tokenKindsFor(ProductArea.OPENSTACK_API_OBJECTS)).toEqual([
    TokenKind.IAM_TOKEN_ACCOUNT_SCOPED,
    TokenKind.IAM_TOKEN_PROJECT_SCOPED,
  ]);
});

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
