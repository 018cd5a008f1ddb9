import { join, resolve } from "node:path";
import { App, TerraformHclModule, type TerraformStack, TerraformVariable } from "cdktf";
import { Construct } from "constructs";
import {
  IdentityService,
  RotationSchedule,
  SecretRef,
  StaticTokenRef,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { packageVersion } from "../../lib/delivery/package-root";
import {
  accountToken,
  anyResource,
  expectNoMistake,
  identityIn,
  partOf,
  providerBlocksOf,
  testStack,
} from "./support";

const authUrl = "https://cloud.api.example.com";
const SERVICE = { authUrl, accountId: "123456" };
const ADDRESS = { auth_url: authUrl, account_id: SERVICE.accountId };
const USER = { ...ADDRESS, user_name: "u" };
// A running provider that Terraform is attached to may be of another version.
const OF_EACH = { declared_by: "stack/i" };
const IN_PROJECT = expect.stringMatching(/^\$\{abspath\(path\.root\)\}\/(\.\.\/?)+/);

const blockOf = (stack: TerraformStack, alias: string) =>
  providerBlocksOf(stack).find((block) => block.alias === alias);

const by = (password: SecretRef) => ({ ...SERVICE, serviceUser: { name: "u", password } });

type Declare = (stack: TerraformStack) => IdentityService;

/** What is declared, and its provider block. */
const ROWS: readonly (readonly [what: string, declared: object | Declare, block: object])[] = [
  ["a password of the environment", by(SecretRef.env("P")), { ...USER, password_env: "P" }],
  ["a password in a file", by(SecretRef.file("/run/p")), { ...USER, password_file: "/run/p" }],
  [
    "a password by command",
    by(SecretRef.command(["op", "op://x"])),
    { ...USER, password_command: ["op", "op://x"] },
  ],
  [
    "a command in the project",
    by(SecretRef.command(["./bin/pw", "./x"])),
    { ...USER, password_command: [IN_PROJECT, "./x"] },
  ],
  [
    "an application credential by id, which has an account of its own",
    { authUrl, applicationCredential: { id: "a1", secret: SecretRef.env("AC") } },
    {
      auth_url: authUrl,
      application_credential_id: "a1",
      application_credential_secret_env: "AC",
    },
  ],
  [
    "an application credential by name",
    {
      ...SERVICE,
      applicationCredential: { name: "ci", userName: "u", secret: SecretRef.file("/run/ac") },
    },
    {
      ...USER,
      application_credential_name: "ci",
      application_credential_secret_file: "/run/ac",
    },
  ],
  [
    "a user and domains by id",
    {
      authUrl,
      accountDomainId: "d1",
      serviceUser: { id: "${var.u}", domainId: "d2", password: SecretRef.env("P") },
      projectDomainId: "d3",
    },
    {
      auth_url: authUrl,
      account_domain_id: "d1",
      user_id: "${var.u}",
      user_domain_id: "d2",
      project_domain_id: "d3",
      password_env: "P",
    },
  ],
  [
    "a user and projects in two domains",
    {
      ...SERVICE,
      serviceUser: { name: "u", domainName: "corp", password: SecretRef.env("P") },
      projectDomainName: "Default",
    },
    { ...USER, user_domain_name: "corp", project_domain_name: "Default", password_env: "P" },
  ],
  [
    "an application credential by name and user id",
    {
      authUrl,
      applicationCredential: { name: "ci", userId: "u1", secret: SecretRef.env("AC") },
    },
    {
      auth_url: authUrl,
      user_id: "u1",
      application_credential_name: "ci",
      application_credential_secret_env: "AC",
    },
  ],
  [
    "an identity token of GitHub Actions",
    {
      ...SERVICE,
      federation: {
        identityProvider: "github",
        protocol: "openid",
        token: SecretRef.githubActions(authUrl),
      },
    },
    { ...ADDRESS, identity_provider: "github", protocol: "openid", oidc_audience: authUrl },
  ],
  [
    "the environment",
    (stack) => new IdentityService(stack, "i", { cloudsFolder: "/etc/clouds" }),
    { clouds_folder: "/etc/clouds" },
  ],
  [
    "a cloud, whose name may be an expression",
    (stack) =>
      new IdentityService(stack, "i", {
        cloud: "${var.cloud}",
        caFile: "ca.pem",
        certFile: "/c.pem",
        keyFile: "/k.pem",
        retryFor: "2m",
        baseUrl: authUrl,
      }),
    {
      cloud: "${var.cloud}",
      clouds_folder: IN_PROJECT,
      ca_file: IN_PROJECT,
      cert_file: "/c.pem",
      key_file: "/k.pem",
      retry_for: "2m",
      base_url: authUrl,
    },
  ],
  [
    "expressions",
    {
      authUrl: "${var.url}",
      accountId: "${var.account}",
      serviceUser: { name: "${var.user}", password: SecretRef.variable("p") },
      retryFor: "${var.wait}",
    },
    {
      auth_url: "${var.url}",
      account_id: "${var.account}",
      user_name: "${var.user}",
      password: "${var.p}",
      retry_for: "${var.wait}",
    },
  ],
];

test.each(ROWS)("%s is a provider block", (_what, declared, block) => {
  const stack = testStack();
  const identity =
    typeof declared === "function"
      ? declared(stack)
      : new IdentityService(stack, "i", declared as never);
  accountToken(stack, { identity, scope: TokenScope.project("web") });
  expectNoMistake(stack);
  expect(blockOf(stack, "i")).toEqual({ alias: "i", ...OF_EACH, ...block });
  expect(providerBlocksOf(stack)).toContainEqual({});
  expect(partOf(stack, "terraform.required_providers")).toEqual({
    iam: { source: "npm.invalid/cdktf-iam-tokens/iam", version: packageVersion() },
  });
});

test("adding an identity service moves no alias of another", () => {
  const stack = testStack();
  for (const [scope, id] of [
    [stack, "a"],
    [new Construct(stack, "nested"), "b"],
    [stack, "b"],
  ] as const)
    identityIn(scope, id);
  expect(providerBlocksOf(stack).map((block) => block.alias)).toEqual(
    expect.arrayContaining(["a", "b", expect.stringMatching(/^nested_b_[0-9A-F]{8}$/)]),
  );
});

test("an id that is no plain name makes a valid alias, and is in no message", () => {
  const stack = testStack();
  const identity = identityIn(stack, "1.st::stop-commands::${x}");
  const module = new TerraformHclModule(stack, "m", { source: "example/m" });
  module.addProvider(identity.provider);
  expect(partOf(stack, "module.m.providers.iam")).toBe("iam._1ststop-commandsx");
  accountToken(stack, { identity });
  expect(partOf(stack, "ephemeral.iam_token.t.provider")).toBe("iam._1ststop-commandsx");
  expect(providerBlocksOf(stack).some((block) => "declared_by" in block)).toBe(false);
});

test("the folder of clouds.yaml is the project's, or one below it", () => {
  const stack = testStack();
  const root = join(App.of(stack).outdir, "stacks/stack");
  const folderOf = (alias: string, options: object) => {
    const identity = new IdentityService(stack, alias, { cloud: "prod", ...options });
    accountToken(stack, { identity, scope: TokenScope.ownProject() }, `of-${alias}`);
    return String(blockOf(stack, alias)?.clouds_folder).replace("${abspath(path.root)}", root);
  };
  expect(resolve(folderOf("a", {}))).toBe(process.cwd());
  expect(resolve(folderOf("b", { cloudsFolder: "config" }))).toBe(resolve("config"));
});

test("a service is a provider block unless its tokens are all resolved before synthesis", () => {
  for (const declare of [
    (stack: TerraformStack) =>
      new TokenRotation(stack, "more", { schedule: RotationSchedule.every("6h") }),
    (stack: TerraformStack) => new StaticTokenRef(stack, "more", { source: SecretRef.env("T") }),
  ]) {
    const stack = testStack();
    const identity = identityIn(stack);
    accountToken(stack, { identity, resolution: TokenResolution.synth() }, "synth");
    expect(providerBlocksOf(stack)).toBeUndefined();
    declare(stack);
    expect(providerBlocksOf(stack)).toEqual([{}]);
    accountToken(stack, { identity });
    expect(providerBlocksOf(stack)).toHaveLength(2);
  }
});

test.each([
  [authUrl, `${authUrl}/identity/v3`],
  [`${authUrl}/identity/`, `${authUrl}/identity/v3`],
  ["http://127.0.0.1:5000/v3", "http://127.0.0.1:5000/v3"],
  // The same, for Terraform.
  ...[
    ["${var.url}", '"${var.url}"'],
    [new TerraformVariable(testStack(), "url", {}).stringValue, "var.url"],
  ].map(([url, written]) => [
    url,
    `\${replace(replace(replace(${written}, "//v3[/]*$/", "#"), "/(/identity)?[/]*$/", "/identity/v3"), "#/identity/v3", "/v3")}`,
  ]),
])("the address %s is completed for OpenStack clients", (authUrl = "", expected = "") => {
  const stack = testStack();
  const { keystoneUrl } = identityIn(stack, "i", { authUrl });
  anyResource(stack, "user", { keystoneUrl });
  expect(partOf(stack, "resource.any_thing.user.keystoneUrl")).toBe(expected);
});
