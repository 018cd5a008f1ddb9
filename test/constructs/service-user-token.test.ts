import { Fn, TerraformHclModule, TerraformVariable } from "cdktf";
import { Construct } from "constructs";
import { ServiceUserToken, TokenKind, TokenResolution, TokenScope } from "../../lib";
import { AnyResource, accountToken, identityIn, mistakesOf, partOf, testStack } from "./support";

test("a token is ephemeral by default", () => {
  const stack = testStack();
  const identity = identityIn(stack);
  accountToken(stack, { identity }, "account");
  new ServiceUserToken(stack, "web", {
    identity,
    scope: TokenScope.project("web"),
    minRemaining: "3h",
    revokeOnClose: true,
  });
  expect(partOf(stack, "ephemeral.iam_token")).toEqual({
    account: { provider: "iam.identity", scope: "account" },
    web: {
      provider: "iam.identity",
      scope: "project",
      project_name: "web",
      min_remaining: "3h",
      revoke_on_close: true,
    },
  });
  expect(partOf(stack, "data")).toBeUndefined();
});

test("by data it is a data source of the same identity service", () => {
  const stack = testStack();
  accountToken(stack, { resolution: TokenResolution.DATA });
  expect(partOf(stack, "data.iam_token.t")).toEqual({ provider: "iam.identity", scope: "account" });
  expect(partOf(stack, "ephemeral")).toBeUndefined();
  expect(partOf(stack, "terraform.required_version")).toBeUndefined();
});

test("kind and header follow the scope, and are known to the program", () => {
  const stack = testStack();
  const identity = identityIn(stack);
  const account = accountToken(stack, { identity }, "a");
  const project = new ServiceUserToken(stack, "p", { identity, scope: TokenScope.project("web") });
  expect([account.kind, project.kind]).toEqual([
    TokenKind.IAM_TOKEN_ACCOUNT_SCOPED,
    TokenKind.IAM_TOKEN_PROJECT_SCOPED,
  ]);
  expect([account.kind as string, project.kind as string]).toEqual([
    "iam_token_account_scoped",
    "iam_token_project_scoped",
  ]);
  expect(account.headerName).toBe("X-Auth-Token");
  expect(Object.keys(account.headers)).toEqual(["X-Auth-Token"]);
});

test.each([
  [TokenResolution.EPHEMERAL, "ephemeral"],
  [TokenResolution.DATA, "data"],
])("references of a token by %s", (resolution, prefix) => {
  const stack = testStack();
  const token = accountToken(stack, { resolution });
  const { value, headers, issuedAt, expiresAt, fingerprint, authUrl } = token;
  new AnyResource(stack, "user", {
    value,
    headers,
    issuedAt,
    expiresAt,
    fingerprint,
    authUrl,
    text: `Bearer ${value}`,
    call: Fn.upper(value),
  });
  const block = `${prefix}.iam_token.t`;
  expect(partOf(stack, "resource.any_thing.user")).toEqual({
    value: `\${${block}.token}`,
    headers: { "X-Auth-Token": `\${${block}.token}` },
    issuedAt: `\${${block}.issued_at}`,
    expiresAt: `\${${block}.expires_at}`,
    fingerprint: `\${${block}.fingerprint}`,
    authUrl: `\${${block}.auth_url}`,
    text: `Bearer \${${block}.token}`,
    call: `\${upper(${block}.token)}`,
  });
});

test("resources, data sources and modules can depend on a token", () => {
  const stack = testStack();
  const identity = identityIn(stack);
  const token = accountToken(stack, { identity });
  const data = accountToken(stack, { identity, resolution: TokenResolution.DATA }, "d");
  new AnyResource(stack, "r", {}, { dependsOn: [token, data] });
  new TerraformHclModule(stack, "m", { source: "example/m", dependsOn: [token] });
  expect(partOf(stack, "resource.any_thing.r.depends_on")).toEqual([
    "ephemeral.iam_token.t",
    "data.iam_token.d",
  ]);
  expect(partOf(stack, "module.m.depends_on")).toEqual(["ephemeral.iam_token.t"]);
});

test("ids are stable when another construct is added", () => {
  const build = (more: boolean) => {
    const stack = testStack();
    const identity = identityIn(stack);
    const nested = new Construct(stack, "nested");
    if (more) accountToken(nested, { identity }, "first");
    accountToken(nested, { identity });
    if (more) accountToken(stack, { identity }, "a");
    accountToken(stack, { identity });
    return Object.keys(partOf(stack, "ephemeral.iam_token") as object);
  };
  expect(build(true)).toEqual(expect.arrayContaining(build(false)));
  expect(build(false)).toContain("t");
});

test("a project's name may be a Terraform expression", () => {
  const stack = testStack();
  const project = new TerraformVariable(stack, "project", {});
  new ServiceUserToken(stack, "t", {
    identity: identityIn(stack),
    scope: TokenScope.project(project.stringValue),
  });
  expect(partOf(stack, "ephemeral.iam_token.t.project_name")).toBe("${var.project}");
  expect(mistakesOf(stack)).toEqual([]);
});

describe("mistakes", () => {
  test("two ids that make one name in Terraform", () => {
    const stack = testStack();
    const identity = identityIn(stack);
    accountToken(stack, { identity }, "my.token");
    new ServiceUserToken(stack, "mytoken", { identity, scope: TokenScope.project("web") });
    expect(mistakesOf(stack)).toEqual([
      expect.stringMatching(
        /^\[stack\/my\.token\] ephemeral\.iam_token\.mytoken is .*_NAME_TAKEN\]$/,
      ),
      expect.stringMatching(
        /^\[stack\/mytoken\] .*: stack\/my\.token, stack\/mytoken\. .*TAKEN\]$/,
      ),
    ]);
  });
});
