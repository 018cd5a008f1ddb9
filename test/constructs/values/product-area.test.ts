import type { TerraformStack } from "cdktf";
import {
  type IAuthenticationToken,
  MayManage,
  ProductArea,
  ProductAreas,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenKind,
  TokenScope,
} from "../../../lib";
import { PRODUCT_AREAS } from "../../../lib/tokens";
import { annotationsOf, identityIn, mistakesOf, testStack } from "../support";

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

test("a token of a kind that does not manage the area is refused, with the kinds that may", () => {
  const stack = testStack();
  const token = iamToken(stack, TokenScope.account());
  token.assertMayManage(ProductArea.FEDERATIONS);
  expect(mistakesOf(stack)).toEqual([]);
  token.assertMayManage(ProductArea.AUDIT_LOGS);
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(
      /^\[stack\/token\] A token of the kind iam_token_account_scoped cannot manage audit logs; these can: iam_token_project_scoped, static_token\. .*\[ERR_KIND_UNSUITABLE\]$/,
    ),
  ]);
});

test("an undocumented permission is a warning, not an error", () => {
  const stack = testStack();
  iamToken(stack, TokenScope.project("web")).assertMayManage(ProductArea.TICKETS);
  expect(mistakesOf(stack)).toEqual([]);
  expect(annotationsOf(stack, "warn")).toEqual([
    "stack/token: The documentation does not say whether a token of the kind iam_token_project_scoped may manage tickets; these may: static_token. [WARN_MAY_MANAGE_UNKNOWN]",
  ]);
});

test("refuses an unknown area, and never says yes to it", () => {
  const stack = testStack();
  const token = iamToken(stack, TokenScope.account());
  for (const area of ["toString", undefined, 5] as unknown as ProductArea[]) {
    expect(token.mayManage(area)).toBe(MayManage.UNKNOWN);
    expect(ProductAreas.tokenKindsFor(area)).toEqual([]);
    token.assertMayManage(area);
  }
  expect(
    mistakesOf(stack)
      .join("\n")
      .match(/The area is .*\[ERR_PROP_INVALID\]/g),
  ).toHaveLength(6);
});

test("lists the token kinds of an area without a token", () => {
  expect(ProductAreas.tokenKindsFor(ProductArea.OPENSTACK_API_OBJECTS)).toEqual([
    TokenKind.IAM_TOKEN_ACCOUNT_SCOPED,
    TokenKind.IAM_TOKEN_PROJECT_SCOPED,
  ]);
});
