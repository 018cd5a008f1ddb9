import { TerraformStack, TerraformVariable } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "../../lib";
import { mistakesOf, partOf, providerBlocksOf, testApp, testStack } from "./support";

const SERVICE = { authUrl: "https://cloud.api.example.com", accountId: "123456" };
const BY_ID = { applicationCredential: { id: "a1", secret: SecretRef.env("AC") } };
const BY_NAME = {
  applicationCredential: { name: "ci", userName: "u", secret: SecretRef.file("/run/ac") },
};
const GITHUB = {
  federation: {
    identityProvider: "github",
    protocol: "openid",
    token: SecretRef.githubActions("https://iam.example.com"),
  },
};

const blockOf = (props: object) => {
  const stack = testStack();
  const identity = new IdentityService(stack, "identity", { ...SERVICE, ...props });
  new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") }).value;
  expect(mistakesOf(stack)).toEqual([]);
  const {
    alias: _,
    declared_by: __,
    package_version: ___,
    ...block
  } = providerBlocksOf(stack).find(({ alias }) => alias === "identity") ?? {};
  return block;
};

const ADDRESS = { auth_url: SERVICE.authUrl, account_id: SERVICE.accountId };

test.each<{ what: string; props: object; block: object }>([
  {
    what: "an application credential by id",
    props: BY_ID,
    block: { application_credential_id: "a1", application_credential_secret_env: "AC" },
  },
  {
    what: "an application credential by name",
    props: BY_NAME,
    block: {
      application_credential_name: "ci",
      user_name: "u",
      application_credential_secret_file: "/run/ac",
    },
  },
  {
    what: "an identity token of GitHub Actions",
    props: GITHUB,
    block: {
      identity_provider: "github",
      protocol: "openid",
      oidc_audience: "https://iam.example.com",
    },
  },
  {
    what: "a password by command",
    props: { serviceUser: { name: "u", password: SecretRef.command(["op", "read", "op://x"]) } },
    block: { user_name: "u", password_command: ["op", "read", "op://x"] },
  },
  {
    what: "a command in the project",
    props: { serviceUser: { name: "u", password: SecretRef.command(["./bin/pw", "./x"]) } },
    block: {
      user_name: "u",
      password_command: [expect.stringMatching(/^\$\{abspath\(path\.root\)\}\/.*bin\/pw$/), "./x"],
    },
  },
])("$what is the arguments of the provider block", ({ props, block }) => {
  expect(blockOf(props)).toEqual({ ...ADDRESS, ...block });
});

test("each way is reopened in another stack; an expression of the first stack is not", () => {
  const app = testApp();
  const [one, other] = [new TerraformStack(app, "one"), new TerraformStack(app, "other")];
  const identity = new IdentityService(one, "identity", { ...SERVICE, ...GITHUB });
  const web = new ServiceUserToken(one, "web", { identity, scope: TokenScope.project("web") });
  web.reopenIn(other).value;
  expect(mistakesOf(other)).toEqual([]);
  expect(providerBlocksOf(other)).toEqual(
    expect.arrayContaining([expect.objectContaining({ oidc_audience: "https://iam.example.com" })]),
  );
  const jwt = new TerraformVariable(one, "jwt", {});
  jwt.addOverride("ephemeral", true);
  const token = SecretRef.fromTerraform(jwt.stringValue);
  const bound = new IdentityService(one, "bound", {
    ...SERVICE,
    federation: { ...GITHUB.federation, token },
  });
  bound.reopenIn(other);
  expect(mistakesOf(one)).toEqual([]);
  expect(mistakesOf(other)).toEqual([
    expect.stringMatching(/federation\.token.*\[ERR_OTHER_STACK\]$/),
  ]);
});

test("with the id of an application credential, account and project may be left out", () => {
  const stack = testStack();
  const { authUrl } = SERVICE;
  const identity = new IdentityService(stack, "identity", { authUrl, ...BY_ID });
  new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project() }).value;
  expect(mistakesOf(stack)).toEqual([]);
  expect(partOf(stack, "ephemeral.iam_token.web")).toEqual({
    provider: "iam.identity",
    scope: "project",
  });
});
