import { TerraformStack } from "cdktf";
import {
  IdentityService,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenScope,
} from "../../lib";
import { jsonOf, mistakesOf, partOf, providerBlocksOf, testApp, testStack } from "./support";

const CANARY = "canary-Pa55w0rd";
const SERVICE = { authUrl: "https://cloud.api.example.com", accountId: "123456" };
const PASSWORD = { serviceUser: { name: "u", password: SecretRef.env("PW") } };
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

const mistakesWith = (props: unknown, scope: unknown = TokenScope.project("web")): string[] => {
  const stack = testStack();
  const identity = new IdentityService(stack, "identity", props as never);
  new ServiceUserToken(stack, "web", { identity, scope } as never);
  const found = mistakesOf(stack);
  expect(found.join()).not.toContain(CANARY);
  expect(JSON.stringify(jsonOf(stack))).not.toContain(CANARY);
  return found;
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

test("with the id of an application credential, account and project may be left out", () => {
  const { authUrl } = SERVICE;
  expect(mistakesWith({ authUrl, ...BY_ID }, TokenScope.project())).toEqual([]);
  expect(mistakesWith({ authUrl, ...BY_NAME })).toEqual([
    expect.stringContaining("accountId is missing"),
  ]);
  const stack = testStack();
  const identity = new IdentityService(stack, "identity", { authUrl, ...BY_ID });
  new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project() }).value;
  expect(partOf(stack, "ephemeral.iam_token.web")).toEqual({
    provider: "iam.identity",
    scope: "project",
  });
});

test.each<{ what: string; props: object; says: readonly string[] }>([
  {
    what: "no way",
    props: SERVICE,
    says: ["None of serviceUser, applicationCredential, federation is given.*ERR_PROP_INVALID"],
  },
  {
    what: "two ways, each with a mistake",
    props: {
      ...SERVICE,
      serviceUser: { name: " u", password: CANARY },
      federation: { identityProvider: "x", token: SecretRef.env("T") },
    },
    says: [
      "serviceUser and federation are given.*ERR_CREDENTIALS_MIXED",
      "serviceUser.name starts.*ERR_NAME_INVALID",
      "serviceUser.password is given as a value.*ERR_SECRET_LITERAL",
      "federation.protocol is missing.*ERR_NAME_INVALID",
    ],
  },
  {
    what: "another address",
    props: {
      ...SERVICE,
      federation: { identityProvider: "..", protocol: "a/b", token: SecretRef.env("T") },
    },
    says: [
      "federation.identityProvider is .*cannot be a segment.*ERR_NAME_INVALID",
      "federation.protocol is .*cannot be a segment.*ERR_NAME_INVALID",
    ],
  },
  {
    what: "id and name",
    props: {
      ...SERVICE,
      applicationCredential: { id: "a", name: "b", secret: SecretRef.env("S") },
    },
    says: ["applicationCredential.name is given with id and secret.*ERR_CREDENTIALS_MIXED"],
  },
  {
    what: "a name without its user",
    props: { ...SERVICE, applicationCredential: { name: "b", secret: SecretRef.env("S") } },
    says: ["applicationCredential.userName is missing"],
  },
  {
    what: "a string",
    props: { ...SERVICE, applicationCredential: CANARY },
    says: ["applicationCredential is a value of type string.*ERR_PROP_INVALID"],
  },
  {
    what: "a misspelt part",
    props: { ...SERVICE, federation: { ...GITHUB.federation, protocoll: "openid" } },
    says: ['There is no property "protocoll"'],
  },
  {
    what: "GitHub Actions for a password",
    props: { ...SERVICE, serviceUser: { name: "u", password: SecretRef.githubActions("a") } },
    says: [
      "serviceUser.password is SecretRef.githubActions, which is only for the token of a federation.*SecretRef\\.command\\(.*ERR_PROP_INVALID",
    ],
  },
  {
    what: "a line for a shell",
    props: { ...SERVICE, serviceUser: { name: "u", password: SecretRef.command([`x ${CANARY}`]) } },
    says: ["serviceUser.password is SecretRef.command with something other than a program"],
  },
  {
    what: "no audience",
    props: { ...SERVICE, federation: { ...GITHUB.federation, token: SecretRef.githubActions("") } },
    says: ["federation.token is SecretRef.githubActions without an audience.*ERR_PROP_INVALID"],
  },
])("is refused at synthesis, with all mistakes at once: $what", ({ props, says }) => {
  expect(mistakesWith(props)).toEqual(says.map((text) => expect.stringMatching(text)));
});

test("scopes that a way does not have are refused at synthesis", () => {
  expect(mistakesWith({ ...SERVICE, ...BY_ID }, TokenScope.account())).toEqual([
    expect.stringMatching(/an application credential belongs to one project.*ERR_SCOPE_INVALID/),
  ]);
  for (const way of [PASSWORD, GITHUB])
    expect(mistakesWith({ ...SERVICE, ...way }, TokenScope.project())).toEqual([
      expect.stringMatching(/TokenScope.project without a project.*ERR_SCOPE_INVALID/),
    ]);
  const stack = testStack();
  const identity = IdentityService.fromEnvironment(stack, "env");
  new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project() });
  expect(mistakesOf(stack)).toEqual([]);
});

test("a static token does not come from a command", () => {
  const stack = testStack();
  new StaticTokenRef(stack, "dns", { source: SecretRef.command(["op"]) });
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(/source is SecretRef.command, which is only for .*ERR_PROP_INVALID/),
  ]);
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
  const token = SecretRef.fromTerraform("${ephemeral.x.y.jwt}");
  const bound = new IdentityService(one, "bound", {
    ...SERVICE,
    federation: { ...GITHUB.federation, token },
  });
  bound.reopenIn(other);
  expect(mistakesOf(other).join()).toMatch(/federation.token.*ERR_OTHER_STACK/);
});
