import { join, resolve } from "node:path";
import { App, TerraformStack, TerraformVariable } from "cdktf";
import { Construct } from "constructs";
import { IdentityService, SecretRef } from "../../lib";
import { packageVersion } from "../../lib/delivery/package-root";
import {
  accountToken,
  identityIn,
  mistakesOf,
  partOf,
  providerBlocksOf,
  testApp,
  testStack,
} from "./support";

test("an identity service is a provider alias named after its id, in addition to the empty default configuration", () => {
  const stack = testStack();
  identityIn(stack);
  expect(providerBlocksOf(stack)).toEqual(
    expect.arrayContaining([
      {},
      {
        alias: "identity",
        auth_url: "https://cloud.api.example.com",
        account_id: "123456",
        user_name: "deployer",
        password_env: "SERVICE_USER_PASSWORD",
        declared_by: "stack/identity",
        // A running provider that Terraform is attached to may be of another version.
        package_version: packageVersion(),
      },
    ]),
  );
  expect(partOf(stack, "terraform.required_providers")).toEqual({
    iam: {
      source: "npm.invalid/cdktf-iam-tokens/iam",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    },
  });
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

test("a path that is no plain name is not written into its block: messages would print it", () => {
  const stack = testStack();
  identityIn(stack, "i::stop-commands::${x}");
  expect(providerBlocksOf(stack).some((block) => "declared_by" in block)).toBe(false);
});

test("an id that is not a name in Terraform makes a valid alias", () => {
  const stack = testStack();
  const identity = identityIn(stack, "1.st service");
  expect(identity.providerConfiguration).toBe("iam._1stservice");
  accountToken(stack, { identity });
  expect(partOf(stack, "ephemeral.iam_token.t.provider")).toBe("iam._1stservice");
});

test("the password may come from a file, relative to the project, or from a Terraform expression", () => {
  const app = new App({ outdir: join(testApp().outdir) });
  const stack = new TerraformStack(app, "stack");
  const variable = new TerraformVariable(stack, "password", { sensitive: true });
  variable.addOverride("ephemeral", true);
  const make = (id: string, password: SecretRef) =>
    new IdentityService(stack, id, {
      authUrl: "https://c.example.com",
      accountId: "1",
      serviceUser: { name: "u", password },
      caFile: "ca.pem",
    });
  make("absolute", SecretRef.file("/run/secrets/password"));
  make("expression", SecretRef.fromTerraform(variable.stringValue));
  const [absolute, expression] = ["absolute", "expression"].map((alias) =>
    providerBlocksOf(stack).find((block) => block.alias === alias),
  );
  expect(absolute?.password_file).toBe("/run/secrets/password");
  expect(expression?.password).toBe("${var.password}");
  expect(absolute?.ca_file).toMatch(/^\$\{abspath\(path\.root\)\}\/(\.\.\/)+.*ca\.pem$/);
  expect(mistakesOf(stack)).toEqual([]);
});

test("account number, user name and address may be Terraform expressions", () => {
  const stack = testStack();
  const variable = new TerraformVariable(stack, "v", {});
  const identity = new IdentityService(stack, "identity", {
    authUrl: variable.stringValue,
    accountId: "${var.account}",
    serviceUser: { name: variable.stringValue, password: SecretRef.env("P") },
  });
  expect(mistakesOf(stack)).toEqual([]);
  expect(providerBlocksOf(stack)).toContainEqual(
    expect.objectContaining({
      auth_url: "${var.v}",
      account_id: "${var.account}",
      user_name: "${var.v}",
    }),
  );
  expect(identity.keystoneUrl).not.toBe("");
});

test.each([
  ["https://cloud.api.example.com", "https://cloud.api.example.com/identity/v3"],
  ["https://cloud.api.example.com/identity/", "https://cloud.api.example.com/identity/v3"],
  ["http://127.0.0.1:5000/v3", "http://127.0.0.1:5000/v3"],
])("the address %s is completed for OpenStack clients", (authUrl, expected) => {
  const identity = new IdentityService(testStack(), "i", {
    authUrl,
    accountId: "1",
    serviceUser: { name: "u", password: SecretRef.env("P") },
  });
  expect(identity.keystoneUrl).toBe(expected);
});

describe("a service whose credentials are looked up when Terraform runs", () => {
  const blockOf = (stack: TerraformStack, alias: string) =>
    providerBlocksOf(stack).find((block) => block.alias === alias);
  const PROJECT = expect.stringMatching(/^\$\{abspath\(path\.root\)\}\/(\.\.\/?)+/);
  const VERSION = { package_version: packageVersion() };

  test("by the environment, the block has no credentials; by a cloud, its name", () => {
    const stack = testStack();
    IdentityService.fromEnvironment(stack, "pipeline");
    IdentityService.fromCloud(stack, "cloud", "prod");
    IdentityService.fromCloud(stack, "expression", "${var.cloud}");
    expect(blockOf(stack, "pipeline")).toEqual({
      alias: "pipeline",
      declared_by: "stack/pipeline",
      clouds_folder: PROJECT,
      ...VERSION,
    });
    expect(blockOf(stack, "cloud")).toEqual({
      alias: "cloud",
      declared_by: "stack/cloud",
      cloud: "prod",
      clouds_folder: PROJECT,
      ...VERSION,
    });
    expect(blockOf(stack, "expression")).toMatchObject({ cloud: "${var.cloud}" });
    expect(mistakesOf(stack)).toEqual([]);
  });

  test("the folder is the project's, or one below it, or any", () => {
    const app = new App({ outdir: join(testApp().outdir) });
    const stack = new TerraformStack(app, "stack");
    IdentityService.fromCloud(stack, "a", "prod");
    IdentityService.fromCloud(stack, "b", "prod", { cloudsFolder: "config" });
    IdentityService.fromEnvironment(stack, "c", { cloudsFolder: "/etc/clouds" });
    const folderOf = (alias: string) =>
      resolve(
        app.outdir,
        "stacks",
        "stack",
        String(blockOf(stack, alias)?.clouds_folder).replace("${abspath(path.root)}", "."),
      );
    expect(folderOf("a")).toBe(process.cwd());
    expect(folderOf("b")).toBe(join(process.cwd(), "config"));
    expect(blockOf(stack, "c")?.clouds_folder).toBe("/etc/clouds");
  });

  test("options are those of any service", () => {
    const stack = testStack();
    IdentityService.fromCloud(stack, "i", "prod", {
      caFile: "/ca.pem",
      baseUrl: "https://api.example.com",
    });
    expect(blockOf(stack, "i")).toMatchObject({
      cloud: "prod",
      ca_file: "/ca.pem",
      base_url: "https://api.example.com",
    });
  });

  test("it can be reopened in another stack", () => {
    const app = testApp();
    const [one, two] = ["one", "two"].map((id) => new TerraformStack(app, id)) as [
      TerraformStack,
      TerraformStack,
    ];
    const reopened = IdentityService.fromCloud(one, "i", "prod").reopenIn(two);
    expect(providerBlocksOf(two)).toContainEqual({
      alias: reopened.providerConfiguration.replace("iam.", ""),
      declared_by: "one/i",
      cloud: "prod",
      clouds_folder: PROJECT,
      ...VERSION,
    });
    expect(mistakesOf(two)).toEqual([]);
  });
});

test("retryFor becomes the block's retry_for, and an expression stays one", () => {
  for (const [retryFor, expected] of [
    ["2m", "2m"],
    [`\${var.wait}`, `\${var.wait}`],
  ] as const) {
    const stack = testStack();
    const identity = new IdentityService(stack, "identity", {
      authUrl: "https://cloud.api.example.com",
      accountId: "123456",
      serviceUser: { name: "u", password: SecretRef.env("P") },
      retryFor,
    });
    accountToken(stack, { identity }, "web");
    expect(mistakesOf(stack)).toEqual([]);
    expect(providerBlocksOf(stack)).toContainEqual(
      expect.objectContaining({ retry_for: expected }),
    );
  }
});
