import { join, resolve } from "node:path";
import { App, TerraformStack, TerraformVariable } from "cdktf";
import { Construct } from "constructs";
import { IdentityService, SecretRef, TokenScope } from "../../lib";
import { packageVersion } from "../../lib/delivery/package-root";
import {
  AnyResource,
  accountToken,
  identityIn,
  mistakesOf,
  partOf,
  providerBlocksOf,
  testApp,
  testStack,
} from "./support";

const SERVICE = { authUrl: "https://cloud.api.example.com", accountId: "123456" };
const ADDRESS = { auth_url: SERVICE.authUrl, account_id: SERVICE.accountId };
// A running provider that Terraform is attached to may be of another version.
const OF_EACH = { declared_by: "stack/i", package_version: packageVersion() };
const IN_PROJECT = expect.stringMatching(/^\$\{abspath\(path\.root\)\}\/(\.\.\/?)+/);

const blockOf = (stack: TerraformStack, alias: string) =>
  providerBlocksOf(stack).find((block) => block.alias === alias);

const by = (password: SecretRef, more: object = {}) => ({
  ...SERVICE,
  serviceUser: { name: "u", password },
  ...more,
});
const declared = (props: object) => (stack: TerraformStack) =>
  new IdentityService(stack, "i", props as never);

/** What is declared, and its provider block. */
const ROWS: readonly (readonly [
  what: string,
  declare: (stack: TerraformStack) => IdentityService,
  block: object,
])[] = [
  [
    "a password of the environment",
    declared(by(SecretRef.env("P"))),
    { ...ADDRESS, user_name: "u", password_env: "P" },
  ],
  [
    "a password in a file",
    declared(by(SecretRef.file("/run/secrets/p"))),
    { ...ADDRESS, user_name: "u", password_file: "/run/secrets/p" },
  ],
  [
    "a password by command",
    declared(by(SecretRef.command(["op", "read", "op://x"]))),
    { ...ADDRESS, user_name: "u", password_command: ["op", "read", "op://x"] },
  ],
  [
    "a command in the project",
    declared(by(SecretRef.command(["./bin/pw", "./x"]))),
    { ...ADDRESS, user_name: "u", password_command: [IN_PROJECT, "./x"] },
  ],
  [
    "an application credential by id, which has an account of its own",
    declared({
      authUrl: SERVICE.authUrl,
      applicationCredential: { id: "a1", secret: SecretRef.env("AC") },
    }),
    {
      auth_url: SERVICE.authUrl,
      application_credential_id: "a1",
      application_credential_secret_env: "AC",
    },
  ],
  [
    "an application credential by name",
    declared({
      ...SERVICE,
      applicationCredential: { name: "ci", userName: "u", secret: SecretRef.file("/run/ac") },
    }),
    {
      ...ADDRESS,
      application_credential_name: "ci",
      user_name: "u",
      application_credential_secret_file: "/run/ac",
    },
  ],
  [
    "an identity token of GitHub Actions",
    declared({
      ...SERVICE,
      federation: {
        identityProvider: "github",
        protocol: "openid",
        token: SecretRef.githubActions("https://iam.example.com"),
      },
    }),
    {
      ...ADDRESS,
      identity_provider: "github",
      protocol: "openid",
      oidc_audience: "https://iam.example.com",
    },
  ],
  [
    "the environment",
    (stack) => IdentityService.fromEnvironment(stack, "i", { cloudsFolder: "/etc/clouds" }),
    { clouds_folder: "/etc/clouds" },
  ],
  [
    "a cloud",
    (stack) =>
      IdentityService.fromCloud(stack, "i", "prod", {
        caFile: "/ca.pem",
        baseUrl: "https://api.example.com",
      }),
    {
      cloud: "prod",
      clouds_folder: IN_PROJECT,
      ca_file: "/ca.pem",
      base_url: "https://api.example.com",
    },
  ],
  [
    "options",
    declared(
      by(SecretRef.env("P"), {
        caFile: "ca.pem",
        certFile: "/c.pem",
        keyFile: "/k.pem",
        retryFor: "2m",
      }),
    ),
    {
      ...ADDRESS,
      user_name: "u",
      password_env: "P",
      ca_file: IN_PROJECT,
      cert_file: "/c.pem",
      key_file: "/k.pem",
      retry_for: "2m",
    },
  ],
  [
    "expressions",
    declared({
      authUrl: "${var.url}",
      accountId: "${var.account}",
      serviceUser: { name: "${var.user}", password: SecretRef.variable("p") },
      retryFor: "${var.wait}",
    }),
    {
      auth_url: "${var.url}",
      account_id: "${var.account}",
      user_name: "${var.user}",
      password: "${var.p}",
      retry_for: "${var.wait}",
    },
  ],
  [
    "the name of a cloud as an expression",
    (stack) => IdentityService.fromCloud(stack, "i", "${var.cloud}"),
    { cloud: "${var.cloud}", clouds_folder: IN_PROJECT },
  ],
];

test.each(ROWS)("%s is a provider block, here and in another stack", (_what, declare, block) => {
  const app = testApp();
  const [stack, other] = [new TerraformStack(app, "stack"), new TerraformStack(app, "other")];
  const identity = declare(stack);
  accountToken(stack, { identity, scope: TokenScope.project("web") }).reopenIn(other);
  for (const [each, alias] of [
    [stack, "i"],
    [other, "stack__i"],
  ] as const) {
    expect(mistakesOf(each)).toEqual([]);
    expect(blockOf(each, alias)).toEqual({ alias, ...OF_EACH, ...block });
    expect(providerBlocksOf(each)).toContainEqual({});
  }
  expect(partOf(stack, "terraform.required_providers")).toEqual({
    iam: { source: "npm.invalid/cdktf-iam-tokens/iam", version: packageVersion() },
  });
});

test("a secret of Terraform stays in its stack", () => {
  const app = testApp();
  const [one, other] = [new TerraformStack(app, "one"), new TerraformStack(app, "other")];
  const jwt = new TerraformVariable(one, "jwt", {});
  jwt.addOverride("ephemeral", true);
  const token = SecretRef.fromTerraform(jwt.stringValue);
  const federation = { identityProvider: "github", protocol: "openid", token };
  new IdentityService(one, "bound", { ...SERVICE, federation }).reopenIn(other);
  expect(mistakesOf(one)).toEqual([]);
  expect(blockOf(one, "bound")).toMatchObject({ oidc_token: "${var.jwt}" });
  expect(mistakesOf(other)).toEqual([
    expect.stringMatching(/federation\.token.*\[ERR_OTHER_STACK\]$/),
  ]);
});

test("the project of an application credential need not be named", () => {
  const stack = testStack();
  const applicationCredential = { id: "a", secret: SecretRef.env("S") };
  const identity = new IdentityService(stack, "i", { ...SERVICE, applicationCredential });
  accountToken(stack, { identity, scope: TokenScope.project() });
  expect(mistakesOf(stack)).toEqual([]);
  expect(partOf(stack, "ephemeral.iam_token.t")).toEqual({ provider: "iam.i", scope: "project" });
});

test("adding an identity service moves no alias of another", () => {
  const one = testStack();
  identityIn(one, "b");
  const two = testStack();
  identityIn(two, "a");
  identityIn(new Construct(two, "nested"), "b");
  identityIn(two, "b");
  const aliases = (stack: TerraformStack) => providerBlocksOf(stack).map((block) => block.alias);
  expect(aliases(one)).toContain("b");
  expect(aliases(two)).toEqual(
    expect.arrayContaining(["a", "b", expect.stringMatching(/^nested_b_[0-9A-F]{8}$/)]),
  );
});

test("an id that is no plain name makes a valid alias, and is in no message", () => {
  const stack = testStack();
  const identity = identityIn(stack, "1.st::stop-commands::${x}");
  expect(identity.providerConfiguration).toBe("iam._1ststop-commandsx");
  accountToken(stack, { identity });
  expect(partOf(stack, "ephemeral.iam_token.t.provider")).toBe("iam._1ststop-commandsx");
  expect(providerBlocksOf(stack).some((block) => "declared_by" in block)).toBe(false);
});

test("the folder of clouds.yaml is the project's, or one below it", () => {
  const app = new App({ outdir: testApp().outdir });
  const stack = new TerraformStack(app, "stack");
  IdentityService.fromCloud(stack, "a", "prod");
  IdentityService.fromCloud(stack, "b", "prod", { cloudsFolder: "config" });
  const [a, b] = ["a", "b"].map((alias) =>
    String(blockOf(stack, alias)?.clouds_folder).replace("${abspath(path.root)}", "."),
  );
  const root = join(app.outdir, "stacks/stack");
  expect(resolve(root, a ?? "")).toBe(process.cwd());
  expect(resolve(root, b ?? "")).toBe(join(process.cwd(), "config"));
});

test.each([
  ["https://cloud.api.example.com", "https://cloud.api.example.com/identity/v3"],
  ["https://cloud.api.example.com/identity/", "https://cloud.api.example.com/identity/v3"],
  ["http://127.0.0.1:5000/v3", "http://127.0.0.1:5000/v3"],
  // The same, for Terraform.
  ...[
    ["${var.url}", '"${var.url}"'],
    [new TerraformVariable(testStack(), "url", {}).stringValue, "var.url"],
  ].map(([url, written]) => [
    url,
    `\${replace(replace(${written}, "/(/identity)?[/]*$/", "/identity/v3"), "/v3/identity/v3", "/v3")}`,
  ]),
])("the address %s is completed for OpenStack clients", (authUrl = "", expected = "") => {
  const stack = testStack();
  const { keystoneUrl } = new IdentityService(stack, "i", { ...by(SecretRef.env("P")), authUrl });
  new AnyResource(stack, "user", { keystoneUrl });
  expect(partOf(stack, "resource.any_thing.user.keystoneUrl")).toBe(expected);
});
