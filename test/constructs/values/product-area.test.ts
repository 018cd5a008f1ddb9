import type { TerraformStack } from "cdktf";
import {
  MayManage,
  ProductArea,
  ProductAreas,
  SecretRef,
  ServiceUserPermission,
  StaticTokenRef,
  TokenKind,
  TokenScope,
} from "../../../lib";
import { PRODUCT_AREAS } from "../../../lib/tokens";
import {
  accountToken,
  annotationsOf,
  expectNoMistake,
  identityIn,
  jsonOf,
  testStack,
} from "../support";

const { account, projects } = ServiceUserPermission;
const scope = TokenScope.project("web");

test("the areas are those of the service's description", () => {
  expect(Object.values(ProductArea).sort()).toEqual(Object.keys(PRODUCT_AREAS).sort());
  for (const [name, value] of Object.entries(ProductArea)) expect(name).toBe(value.toUpperCase());
});

const iam = (stack: TerraformStack) => accountToken(stack, { scope });
const fixed = (stack: TerraformStack) =>
  new StaticTokenRef(stack, "t", { source: SecretRef.env("T") });

test.each([
  [iam, ProductArea.CLOUD_DATABASES, MayManage.YES],
  [iam, ProductArea.GLOBAL_ROUTER, MayManage.NO],
  [iam, ProductArea.DNS_HOSTING, MayManage.UNKNOWN],
  [fixed, ProductArea.DNS_HOSTING, MayManage.YES],
  [fixed, ProductArea.OPENSTACK_API_OBJECTS, MayManage.NO],
])("%p may manage %s: %s, and to ask is neither a mistake nor a warning", (declare, area, may) => {
  const stack = testStack();
  expect(declare(stack).mayManage(area)).toBe(may);
  expectNoMistake(stack);
  expect(annotationsOf(stack)).toEqual([]);
});

test("an undocumented permission is a warning, not an error", () => {
  const stack = testStack();
  iam(stack).assertMayManage(ProductArea.TICKETS);
  expectNoMistake(stack);
  expect(annotationsOf(stack)).toEqual([
    "stack/t: The documentation does not say whether a token of the kind iam_token_project_scoped may manage tickets; these may: static_token. [WARN_MAY_MANAGE_UNKNOWN]",
  ]);
});

test("lists the token kinds of an area without a token", () => {
  expect(ProductAreas.tokenKindsFor(ProductArea.OPENSTACK_API_OBJECTS)).toEqual([
    TokenKind.IAM_TOKEN_ACCOUNT_SCOPED,
    TokenKind.IAM_TOKEN_PROJECT_SCOPED,
  ]);
});

test.each([
  ["nothing is declared", {}, TokenScope.account()],
  ["Account, and a token of the account", { permission: account() }, TokenScope.account()],
  ["Account, and a token of a project", { permission: account() }, scope],
  ["Projects, and a token of one of them", { permission: projects("shop", "web") }, scope],
  ["projects that only Terraform knows", { permission: projects("${var.v}") }, scope],
])("a token is declared where the permission allows it: %s", (_what, permission, its) => {
  const stack = testStack();
  accountToken(stack, { identity: identityIn(stack, "identity", permission), scope: its });
  expectNoMistake(stack);
  expect(JSON.stringify(jsonOf(stack))).not.toContain("permission");
});
