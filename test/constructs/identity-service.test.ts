import { join, resolve } from "node:path";
import { App, TerraformStack, TerraformVariable } from "cdktf";
import { Construct } from "constructs";
import { IdentityService, SecretRef, ServiceUserPermission } from "../../lib";
import { packageVersion } from "../../lib/delivery/package-root";
import {
  accountToken,
  identityIn,
  jsonOf,
  mistakesOf,
  partOf,
  providerBlocksOf,
  testApp,
  testStack,
} from "./support";

const CANARY = "canary-Pa55w0rd";

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

describe("all mistakes are reported at once, each with its path", () => {
  // As JavaScript would call it.
  const make = (scope: Construct, id: string, props: unknown) =>
    new IdentityService(scope, id, props as never);
  const good = {
    authUrl: "https://c.example.com",
    accountId: "1",
    serviceUser: { name: "u", password: SecretRef.env("P") },
  };

  test("several of one construct, and several constructs", () => {
    const stack = testStack();
    make(stack, "a", {
      authUrl: "http://c.example.com",
      accountId: 123456,
      serviceUser: { name: " deployer", password: CANARY },
    });
    make(stack, "b", undefined);
    const mistakes = mistakesOf(stack);
    expect(mistakes.map((line) => line.replace(/^\[(.*?)\].*\[(ERR_\w+)\]$/, "$1 $2"))).toEqual([
      "stack/a ERR_ADDRESS_INVALID",
      "stack/a ERR_NAME_INVALID",
      "stack/a ERR_SECRET_LITERAL",
      "stack/a ERR_ACCOUNT_INVALID",
      "stack/b ERR_PROP_INVALID",
      "stack/b ERR_ADDRESS_INVALID",
      "stack/b ERR_PROP_INVALID",
      "stack/b ERR_ACCOUNT_INVALID",
    ]);
    expect(mistakes.join()).not.toContain(CANARY);
    expect(JSON.stringify(jsonOf(stack))).not.toContain(CANARY);
  });

  test.each([
    [
      "a literal password",
      { ...good, serviceUser: { name: "u", password: CANARY } },
      "ERR_SECRET_LITERAL",
    ],
    ["a string as service user", { ...good, serviceUser: CANARY }, "ERR_PROP_INVALID"],
    [
      "the password as the variable's name",
      { ...good, serviceUser: { name: "u", password: SecretRef.env(`${CANARY}!`) } },
      "ERR_PROP_INVALID",
    ],
    [
      "a literal as Terraform's",
      { ...good, serviceUser: { name: "u", password: SecretRef.fromTerraform(CANARY) } },
      "ERR_SECRET_LITERAL",
    ],
    [
      "userinfo in the address",
      { ...good, authUrl: `https://u:${CANARY}@c.example.com` },
      "ERR_ADDRESS_INVALID",
    ],
    ["an address that is missing", { ...good, authUrl: undefined }, "ERR_ADDRESS_INVALID"],
    ["an address that is a number", { ...good, authUrl: 5 }, "ERR_ADDRESS_INVALID"],
    ["a function as account number", { ...good, accountId: () => CANARY }, "ERR_ACCOUNT_INVALID"],
    ["an empty account number", { ...good, accountId: "" }, "ERR_ACCOUNT_INVALID"],
    [
      "a control character in the name",
      { ...good, serviceUser: { name: "a\u0007b", password: SecretRef.env("P") } },
      "ERR_NAME_INVALID",
    ],
    ["a certificate without its key", { ...good, certFile: "c.pem" }, "ERR_CERTIFICATE_INVALID"],
    ["a path that only a shell understands", { ...good, caFile: "~/ca.pem" }, "ERR_PROP_INVALID"],
    ["a path relative to a drive", { ...good, caFile: "C:ca.pem" }, "ERR_PROP_INVALID"],
    ["an empty path", { ...good, caFile: "" }, "ERR_PROP_INVALID"],
    ["a time for all tries that is too long", { ...good, retryFor: "6m" }, "ERR_DURATION_INVALID"],
    ["a number for it", { ...good, retryFor: 5 }, "ERR_DURATION_INVALID"],
    ["a misspelt property", { ...good, caFiles: "c.pem" }, "ERR_PROP_INVALID"],
    [
      "a base address with userinfo",
      { ...good, baseUrl: `https://u:${CANARY}@api.example.com` },
      "ERR_ADDRESS_INVALID",
    ],
    [
      "no base address though one is required",
      { ...good, requireBaseUrl: true },
      "ERR_BASE_URL_MISSING",
    ],
    [
      "a string for a flag",
      { ...good, baseUrl: "https://api.example.com", requireBaseUrl: "yes" },
      "ERR_PROP_INVALID",
    ],
    ["a string as permission", { ...good, permission: "account" }, "ERR_PROP_INVALID"],
    [
      "a permission for no project",
      { ...good, permission: ServiceUserPermission.projects() },
      "ERR_PROP_INVALID",
    ],
    [
      "a permission for a list",
      { ...good, permission: ServiceUserPermission.projects(["web"] as never) },
      "ERR_NAME_INVALID",
    ],
    ["no object at all", null, "ERR_PROP_INVALID"],
  ])("%s", (_what, props, code) => {
    const stack = testStack();
    expect(() => make(stack, "identity", props)).not.toThrow();
    const mistakes = mistakesOf(stack);
    expect(mistakes.join("\n")).toContain(`[${code}]`);
    expect(mistakes.every((line) => line.startsWith("[stack/identity] "))).toBe(true);
    expect(mistakes.join()).not.toContain(CANARY);
    expect(JSON.stringify(jsonOf(stack))).not.toContain(CANARY);
  });
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

  test("one message says that its address is not known yet, and where the address will be known", () => {
    const stack = testStack();
    const identity = IdentityService.fromEnvironment(stack, "i");
    expect([identity.keystoneUrl, identity.keystoneUrl]).toEqual(["", ""]);
    expect(mistakesOf(stack)).toEqual([
      expect.stringMatching(/keystoneUrl.*authUrl of one of.*\[ERR_ADDRESS_NOT_KNOWN\]$/),
    ]);
  });

  test.each<{
    readonly what: string;
    readonly make: (stack: TerraformStack) => unknown;
    readonly code: string;
  }>([
    {
      what: "no cloud",
      make: (stack) => IdentityService.fromCloud(stack, "i", undefined as never),
      code: "ERR_NAME_INVALID",
    },
    {
      what: "an empty cloud",
      make: (stack) => IdentityService.fromCloud(stack, "i", ""),
      code: "ERR_NAME_INVALID",
    },
    {
      what: "credentials as well",
      make: (stack) =>
        IdentityService.fromCloud(stack, "i", "c", { authUrl: "https://x.test" } as never),
      code: "ERR_PROP_INVALID",
    },
    {
      what: "a folder that is none",
      make: (stack) => IdentityService.fromCloud(stack, "i", "c", { cloudsFolder: "" }),
      code: "ERR_PROP_INVALID",
    },
    {
      what: "no options",
      make: (stack) => IdentityService.fromEnvironment(stack, "i", null as never),
      code: "ERR_PROP_INVALID",
    },
    {
      what: "a cloud as a property",
      make: (stack) => new IdentityService(stack, "i", { cloud: "c" } as never),
      code: "ERR_PROP_INVALID",
    },
  ])("$what is refused", ({ make, code }) => {
    const stack = testStack();
    make(stack);
    expect(mistakesOf(stack).join("\n")).toContain(`[${code}]`);
  });
});

test("the error about a literal password has its remedy once", () => {
  const stack = testStack();
  new IdentityService(stack, "identity", {
    authUrl: "https://cloud.api.example.com",
    accountId: "123456",
    serviceUser: { name: "u", password: "x" as never },
  });
  expect(
    mistakesOf(stack)
      .join()
      .match(/SecretRef\.env/g),
  ).toHaveLength(1);
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
