import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { TerraformVariable } from "cdktf";
import { packageVersion } from "../../../lib/delivery/package-root";
import { writeValueFile } from "../../../lib/delivery/values/value-file";
import { type Diagnosis, PASSWORD, SetUp } from "./set-up";

// Each test breaks one thing of a healthy project: that it is found, and nothing else, is the test.
let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

const platform = `linux_${process.arch === "x64" ? "amd64" : "arm64"}`;
const launcher = () => `terraform-provider-iam_v${packageVersion()}`;
const providerFolder = () => join(setUp.pluginFolder, packageVersion(), platform);
const lockFile = () => join(setUp.stackFolder, ".terraform.lock.hcl");

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, "utf8");
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
}

/** The one fault, as `check status: text -> remedy`. */
function only({ faults, exitCode, text }: Diagnosis): string {
  const told = faults.map(
    ({ check, status, text, remedy }) => `${check} ${status}: ${text} -> ${remedy}`,
  );
  expect(told).toHaveLength(1);
  expect(exitCode).toBe(faults.some(({ status }) => status === "cross") ? 1 : 0);
  expect(text).toMatch(exitCode === 1 ? /^FAIL /m : /^warn /m);
  return told[0] ?? "";
}

describe("Node.js", () => {
  const node = (script: string) => setUp.write("bin/node", `#!/bin/sh\n${script}\n`, 0o755);

  test("is too old", async () => {
    node("echo v18.20.4");
    expect(only(await setUp.diagnose())).toMatch(
      /^node cross: The "node" in PATH is 18\.20\.4, and the provider needs 20\.18\.1/,
    );
  });

  test("is missing", async () => {
    const nothing = join(setUp.scratch.folder, "empty");
    mkdirSync(nothing);
    const diagnosis = await setUp.diagnose(["--only", "node"], { vars: { PATH: nothing } });
    expect(only(diagnosis)).toMatch(/^node cross: There is no "node" in PATH/);
  });

  test("says nothing that could be understood", async () => {
    node("echo hello");
    expect(only(await setUp.diagnose())).toContain("does not tell its version");
  });
});

describe("Terraform", () => {
  test("has no ephemeral resources, and a stack uses them", async () => {
    setUp.terraform("Terraform v1.9.8");
    expect(only(await setUp.diagnose())).toMatch(
      /^terraform cross: Terraform 1\.9\.8 has no ephemeral resources, and the stack "web" uses them\. \[ERR_TERRAFORM_TOO_OLD\] -> Use Terraform 1\.10 or newer, OpenTofu 1\.11/,
    );
  });

  test.each([
    ["cdk.tf.json", '{ "variable": { "web_token": { "ephemeral": true } } }'],
    ["main.tf", 'variable "web_token" {\n  ephemeral = true\n}\n'],
  ])(
    "has no ephemeral variables, and a stack without a provider uses one: %s",
    async (file, text) => {
      setUp.terraform("Terraform v1.9.8");
      setUp.write(`plain/${file}`, text);
      expect(only(await setUp.diagnose(["../plain"]))).toMatch(
        /^terraform cross: Terraform 1\.9\.8 has no ephemeral resources/,
      );
    },
  );

  test("has no write-only arguments, and a stack uses them", async () => {
    setUp.terraform("Terraform v1.10.5");
    edit(join(setUp.stackFolder, "cdk.tf.json"), (text) =>
      text.replace(
        "{",
        '{ "resource": { "vault_kv_secret_v2": { "x": { "data_json_wo": "x", "data_json_wo_version": 1 } } },',
      ),
    );
    expect(only(await setUp.diagnose())).toMatch(
      /^terraform cross: Terraform 1\.10\.5 has no write-only arguments/,
    );
  });

  test("is not there, and neither is OpenTofu", async () => {
    const diagnosis = await setUp.diagnose(["--only", "terraform"], {
      vars: { TERRAFORM_BINARY_NAME: "no-such-program" },
    });
    expect(only(diagnosis)).toMatch(
      /^terraform cross: There is no "no-such-program" here\. -> .*TERRAFORM_BINARY_NAME=tofu/,
    );
  });

  test("is not there, and OpenTofu is: that is what is used", async () => {
    const bin = join(setUp.scratch.folder, "only-tofu");
    setUp.write("only-tofu/tofu", "#!/bin/sh\necho 'OpenTofu v1.12.6'\n", 0o755);
    symlinkSync("/bin/sh", join(bin, "sh"));
    const { findings } = await setUp.diagnose(["--only", "terraform"], { vars: { PATH: bin } });
    expect(findings[0]?.text).toBe(
      "OpenTofu 1.12.6, with ephemeral resources and write-only arguments.",
    );
  });

  test("fails when it is asked for its version, as a version manager does that has none", async () => {
    setUp.write("bin/terraform", "#!/bin/sh\necho 'no version is set' >&2\nexit 126\n", 0o755);
    expect(only(await setUp.diagnose())).toMatch(
      /^terraform cross: .* does not tell a version \(exit code 126\)/,
    );
  });
});

describe("The project", () => {
  test("is not synthesized", async () => {
    rmSync(join(setUp.folder, "cdktf.out"), { recursive: true });
    expect(only(await setUp.diagnose())).toMatch(
      /^project cross: .* no stack is synthesized\. -> Run cdktf synth/,
    );
  });

  test("has a cdktf.json that is none", async () => {
    setUp.write("project/cdktf.json", "{");
    expect(only(await setUp.diagnose())).toMatch(/^project cross: cdktf\.json is no JSON object/);
  });

  test("has another output folder, which is followed", async () => {
    renameSync(join(setUp.folder, "cdktf.out"), join(setUp.folder, "built"));
    setUp.write("project/cdktf.json", JSON.stringify({ output: "built" }));
    expect((await setUp.diagnose()).faults).toEqual([]);
  });

  test("has a stack that is no JSON", async () => {
    writeFileSync(join(setUp.stackFolder, "cdk.tf.json"), '{"terraform": ');
    expect((await setUp.diagnose()).faults[0]).toMatchObject({
      check: "project",
      text: expect.stringContaining("web/cdk.tf.json"),
    });
  });

  test("lacks the requirement", async () => {
    edit(join(setUp.stackFolder, "cdk.tf.json"), (text) =>
      text.replace('"required_providers"', '"required"'),
    );
    expect(only(await setUp.diagnose())).toMatch(
      /^required-providers cross: .* does not require it: Terraform would look for hashicorp\/iam/,
    );
  });

  test("was synthesized by another version", async () => {
    const other = `${packageVersion()}-other`;
    edit(join(setUp.stackFolder, "cdk.tf.json"), (text) =>
      text.replaceAll(`"version": "${packageVersion()}"`, `"version": "${other}"`),
    );
    const { faults } = await setUp.diagnose();
    expect(faults.map(({ check }) => check)).toEqual(["required-providers", "provider-files"]);
    expect(faults[0]?.text).toContain(`requires version ${other}`);
  });
});

describe("The provider's files", () => {
  test("have lost the run bit", async () => {
    chmodSync(join(providerFolder(), launcher()), 0o644);
    expect(only(await setUp.diagnose())).toMatch(
      /^provider-files cross: The launcher of the stack "web" cannot be run.* -> chmod \+x \/\S+terraform-provider-iam_v[\d.]+, or/,
    );
  });

  test("are not there for this platform", async () => {
    rmSync(providerFolder(), { recursive: true });
    expect(only(await setUp.diagnose())).toMatch(
      /^provider-files cross: Beside the stack "web" is no provider for linux_/,
    );
  });

  test("are not there at all", async () => {
    rmSync(join(setUp.stackFolder, "terraform.d"), { recursive: true });
    expect(only(await setUp.diagnose())).toMatch(
      /^provider-files cross: There is no provider beside the stack "web"/,
    );
  });

  test("are not those of the package, and so not those of the lock file", async () => {
    const path = join(providerFolder(), "provider.cjs");
    const text = readFileSync(path);
    rmSync(path);
    writeFileSync(path, Buffer.concat([text, Buffer.from("\n")]));
    const { faults, exitCode } = await setUp.diagnose();
    expect(faults.map(({ check }) => check)).toEqual(["provider-files", "lock-files"]);
    expect(exitCode).toBe(1);
  });
});

describe("The provider for plain HCL", () => {
  const BLOCK = "provider_installation {\n  direct {}\n}\n";
  const diagnose = (vars: Record<string, string> = {}) =>
    setUp.diagnose(["../plain", "--only", "provider-files"], {
      vars: { XDG_DATA_DIRS: "/not/there", ...vars },
    });
  const install = (root: string) =>
    cpSync(join(setUp.stackFolder, "terraform.d/plugins"), join(setUp.scratch.folder, root), {
      recursive: true,
    });

  beforeEach(() => {
    setUp.write(
      "plain/main.tf",
      'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n',
    );
  });

  test("is nowhere", async () => {
    expect(only(await diagnose())).toMatch(
      /^provider-files warning: Terraform finds no provider for the stack "plain" by itself.* -> Run Terraform below iam-tokens run --; or lay/,
    );
  });

  test.each([
    "home/.terraform.d/plugins",
    "home/.local/share/terraform/plugins",
    "plain/.terraform/providers",
  ])("is in %s", async (root) => {
    install(root);
    expect((await diagnose()).faults).toEqual([]);
  });

  test("is in a folder of the system, which a variable names", async () => {
    install("system/terraform/plugins");
    expect(
      (await diagnose({ XDG_DATA_DIRS: `/not/there:${setUp.scratch.folder}/system` })).faults,
    ).toEqual([]);
  });

  test("is attached, or is the matter of a provider_installation block", async () => {
    const reattach = JSON.stringify({
      "npm.invalid/cdktf-iam-tokens/iam": { Addr: { Network: "unix", String: "/s" } },
    });
    expect((await diagnose({ TF_REATTACH_PROVIDERS: reattach })).faults).toEqual([]);
    setUp.write("home/.terraformrc", BLOCK);
    expect((await diagnose()).faults).toEqual([]);
  });
});

describe("The lock file", () => {
  test("has another hash", async () => {
    edit(lockFile(), (text) => text.replace(/"h1:.{4}/, '"h1:AAAA'));
    expect(only(await setUp.diagnose())).toMatch(
      /^lock-files cross: .* has another hash than the provider that is there.* -> Synthesize again/,
    );
  });

  test("has another version", async () => {
    edit(lockFile(), (text) => text.replace(/(version\s*= )"[^"]*"/, '$1"0.0.1"'));
    expect(only(await setUp.diagnose())).toMatch(
      /^lock-files cross: .* has version 0\.0\.1 of the provider/,
    );
  });

  test("has conflict markers", async () => {
    edit(lockFile(), (text) => `<<<<<<< HEAD\n${text}`);
    expect(only(await setUp.diagnose())).toMatch(/^lock-files cross: .*conflict markers/);
  });
});

describe("The configuration of Terraform's command line", () => {
  const block = (inner: string) =>
    `# provider_installation { is only a comment }\nplugin_cache_may = "x" // {\nprovider_installation {\n${inner}\n}\n`;

  test("has a block in which nothing is for the provider", async () => {
    const path = setUp.write("home/.terraformrc", block("direct {}"));
    expect(only(await setUp.diagnose())).toMatch(
      /^cli-configuration cross: .*\.terraformrc has a provider_installation block, so that .*iam-tokens install DIR/,
    );
    const named = setUp.write("elsewhere.tfrc", readFileSync(path, "utf8"));
    rmSync(path);
    expect(only(await setUp.diagnose([], { vars: { TF_CLI_CONFIG_FILE: named } }))).toContain(
      "elsewhere.tfrc",
    );
  });

  test("has a mirror, which does not have it", async () => {
    setUp.write(
      "home/.terraform.d/mirror.tfrc",
      block(
        `filesystem_mirror {\n path = "${setUp.scratch.folder}/mirror"\n include = ["npm.invalid/*/*"]\n}`,
      ),
    );
    expect(only(await setUp.diagnose())).toContain(
      "its mirror has no npm.invalid/cdktf-iam-tokens/iam",
    );
    cpSync(join(setUp.stackFolder, "terraform.d/plugins"), join(setUp.scratch.folder, "mirror"), {
      recursive: true,
    });
    expect((await setUp.diagnose()).faults).toEqual([]);
  });

  test("does not matter below a running provider", async () => {
    setUp.write("home/.terraformrc", block("direct {}"));
    const socket = join(setUp.scratch.folder, "s");
    const server = createServer().listen(socket);
    await new Promise((resolve) => server.once("listening", resolve));
    const reattach = JSON.stringify({
      "npm.invalid/cdktf-iam-tokens/iam": { Addr: { Network: "unix", String: socket } },
    });
    const { faults } = await setUp.diagnose([], { vars: { TF_REATTACH_PROVIDERS: reattach } });
    await new Promise((resolve) => server.close(resolve));
    expect(faults).toEqual([]);
  });

  test("speaks of a block in comments and texts only", async () => {
    setUp.write(
      "home/.terraformrc",
      '/* provider_installation { } */\ncredentials "app.terraform.io" {\n token = "canary provider_installation {}"\n}\n',
    );
    expect((await setUp.diagnose()).faults).toEqual([]);
  });

  test("is another file for OpenTofu, which takes Terraform's where it has none of its own", async () => {
    setUp.terraform("OpenTofu v1.12.6");
    setUp.write("home/.terraformrc", block("direct {}"));
    expect(only(await setUp.diagnose())).toContain(".terraformrc");
    setUp.write("home/.tofurc", "");
    expect((await setUp.diagnose()).faults).toEqual([]);
    const xdg = setUp.write("xdg/opentofu/tofurc", block("direct {}"));
    rmSync(join(setUp.scratch.home, ".tofurc"));
    rmSync(join(setUp.scratch.home, ".terraformrc"));
    expect(
      only(
        await setUp.diagnose([], { vars: { XDG_CONFIG_HOME: join(setUp.scratch.folder, "xdg") } }),
      ),
    ).toContain(xdg);
  });

  test("cannot be read", async () => {
    setUp.write("home/.terraformrc", "provider_installation {");
    expect(only(await setUp.diagnose())).toMatch(/^cli-configuration cross: .* cannot be read/);
    rmSync(join(setUp.scratch.home, ".terraformrc"));
    expect(only(await setUp.diagnose([], { vars: { TF_CLI_CONFIG_FILE: "/not/there" } }))).toMatch(
      /^cli-configuration warning: .* not there/,
    );
  });

  test("names a plugin cache that is not there, or that links to one of the stacks", async () => {
    const cache = join(setUp.scratch.folder, "cache");
    setUp.write("home/.terraformrc", `plugin_cache_dir = "${cache}"\n`);
    expect(only(await setUp.diagnose())).toMatch(
      /^plugin-cache warning: plugin_cache_dir names .* no folder.* -> Make it: mkdir/,
    );
    linkIn(cache, providerFolder());
    const diagnosis = await setUp.diagnose([], { vars: { TF_PLUGIN_CACHE_DIR: cache } });
    expect(only(diagnosis)).toMatch(
      /^plugin-cache warning: .*initialized last.* -> Unset TF_PLUGIN_CACHE_DIR/,
    );
  });

  test("had a plugin cache, whose link leads nowhere any more", async () => {
    linkIn(join(setUp.stackFolder, ".terraform/providers"), "/not/there");
    expect(only(await setUp.diagnose())).toMatch(
      /^plugin-cache cross: The stack "web" .* is gone.* -> Run terraform init there again/,
    );
  });

  function linkIn(root: string, target: string): void {
    const link = join(root, "npm.invalid/cdktf-iam-tokens/iam", packageVersion(), platform);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
});

describe("The environment", () => {
  test("attaches to a provider that is gone", async () => {
    const reattach = JSON.stringify({
      "npm.invalid/cdktf-iam-tokens/iam": { Addr: { Network: "unix", String: "/not/there" } },
    });
    expect(only(await setUp.diagnose([], { vars: { TF_REATTACH_PROVIDERS: reattach } }))).toMatch(
      /^environment cross: .* not running/,
    );
    expect(only(await setUp.diagnose([], { vars: { TF_REATTACH_PROVIDERS: "canary" } }))).toMatch(
      /^environment cross: .* no JSON object/,
    );
  });

  test.each([
    ["NODE_TLS_REJECT_UNAUTHORIZED", "0"],
    ["TF_LOG", "TRACE"],
  ])("has %s", async (name, value) => {
    expect(only(await setUp.diagnose([], { vars: { [name]: value } }))).toMatch(
      new RegExp(`^environment warning: ${name}`),
    );
  });
});

describe("Credentials", () => {
  test("are in a file that is not there", async () => {
    rmSync(join(setUp.folder, "password"));
    expect(only(await setUp.diagnose())).toMatch(
      /^credentials cross: stack web, provider iam\.identity: The file .* does not exist.*\[ERR_SECRET_MISSING\]/,
    );
  });

  test("are in a file that everybody can read", async () => {
    chmodSync(join(setUp.folder, "password"), 0o644);
    expect(only(await setUp.diagnose())).toMatch(
      /^secret-files cross: Everybody on this machine may read .*mode 644\. -> chmod 600 \/\S+password$/,
    );
  });

  test("may not be sent to this address", async () => {
    const vars = { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" };
    expect(only(await setUp.diagnose([], { vars }))).toMatch(
      /^credentials cross: .*\[ERR_ADDRESS_NOT_ALLOWED\]/,
    );
    expect(setUp.identity.journal).toEqual([]);
  });

  test("are wrong: found out when a token is asked for, and only then", async () => {
    writeFileSync(join(setUp.folder, "password"), "canary-wrong");
    expect((await setUp.diagnose()).faults).toEqual([]);
    expect(setUp.identity.journal.filter(({ method }) => method === "POST")).toHaveLength(0);
    expect(only(await setUp.diagnose(["--issue"]))).toMatch(
      /^issue cross: stack web, provider iam\.identity: a token for the project "web": .*\[ERR_CREDENTIALS_REJECTED\]/,
    );
  });

  test("are right, and do not give a token for another project that is asked for", async () => {
    expect(only(await setUp.diagnose(["--issue", "shop"]))).toMatch(
      /^issue cross: .* a token for the project "shop": .*\[ERR_CREDENTIALS_REJECTED\]/,
    );
    expect(await setUp.diagnose(["--issue", ""])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--issue: the project is empty"),
    });
  });

  test("are right: what the stack declares is issued once", async () => {
    const { faults, findings } = await setUp.diagnose(["--issue"]);
    expect(faults).toEqual([]);
    expect(findings.find(({ check }) => check === "issue")?.text).toMatch(
      /a token for the project "web" was issued in \d+ ms; it lives 1 d\./,
    );
    // For the lines and for the JSON.
    expect(setUp.identity.journal.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  test("of the environment are looked at where there is no stack", async () => {
    const empty = join(setUp.scratch.folder, "empty");
    mkdirSync(empty);
    const vars = {
      OS_AUTH_URL: setUp.identity.authUrl,
      OS_USERNAME: "deployer",
      OS_USER_DOMAIN_NAME: "123456",
    };
    const incomplete = await setUp.diagnose(["../empty"], { vars });
    expect(only(incomplete)).toMatch(/^credentials cross: the environment: .*but not OS_PASSWORD/);
    const whole = await setUp.diagnose(["../empty", "--issue", "web"], {
      vars: { ...vars, OS_PASSWORD: PASSWORD },
    });
    expect(whole.faults).toEqual([]);
    expect(whole.text).toMatch(/^ok {3}issue .*a token for the project "web" was issued/m);
  });
});

describe("The identity service", () => {
  test("is not there", async () => {
    await setUp.identity.stop();
    expect(only(await setUp.diagnose())).toMatch(
      /^identity-service cross: The connection to 127\.0\.0\.1:\d+ failed \(ECONNREFUSED\).*\[ERR_CONNECTION_FAILED\]/,
    );
  });

  test("has a certificate that nothing here trusts; trusted by ca_file, it is fine", async () => {
    const other = await SetUp.start({ tls: "throw-away" });
    try {
      expect(only(await other.diagnose())).toMatch(
        /^identity-service cross: No trusted TLS connection to .*\[ERR_TLS_FAILED\]/,
      );
      const ca = other.write("ca.pem", other.identity.ca ?? "");
      edit(join(other.stackFolder, "cdk.tf.json"), (text) =>
        text.replace('"account_id"', `"ca_file": ${JSON.stringify(ca)}, "account_id"`),
      );
      const trusted = await other.diagnose();
      expect(trusted.faults).toEqual([]);
      expect(trusted.text).toMatch(/its certificate is trusted\.$/m);
    } finally {
      await other.stop();
    }
  });

  test("has another time than this machine", async () => {
    const ahead = await SetUp.start({}, { now: () => Date.now() + 10 * 60_000 });
    try {
      expect(only(await ahead.diagnose())).toMatch(
        /^clock cross: This machine's clock is (9 min 59 s|10 min) behind that of 127\./,
      );
    } finally {
      await ahead.stop();
    }
    expect(only(await setUp.diagnose([], { now: () => Date.now() + 2 * 60_000 }))).toMatch(
      /^clock warning: .* 2 min (1 s )?ahead of/,
    );
  });

  test("has nothing at the path that is given", async () => {
    const diagnosis = await setUp.diagnose([
      "--auth-url",
      `${setUp.identity.authUrl}/elsewhere/v3`,
      "--only",
      "identity-service",
    ]);
    expect(only(diagnosis)).toMatch(
      /^identity-service warning: .* answers \(404\) .* -> See whether the path is right; --issue/,
    );
  });

  test("of the command line stands for those of the stacks", async () => {
    const diagnosis = await setUp.diagnose([
      "--auth-url",
      "http://127.0.0.1:1",
      "--only",
      "identity-service",
    ]);
    expect(only(diagnosis)).toMatch(/ERR_CONNECTION_FAILED/);
  });
});

describe("Files with tokens", () => {
  beforeEach(() => {
    setUp.synth((stack) => void new TerraformVariable(stack, "web_token", { sensitive: true }));
    writeValueFile(setUp.stackFolder, { web_token: "canary-token" });
  });
  const path = () => join(setUp.stackFolder, "iam-tokens.auto.tfvars.json");

  test("are fine where they are the owner's alone and in use", async () => {
    const { faults, text } = await setUp.diagnose();
    expect(faults).toEqual([]);
    expect(text).toMatch(/^ok {3}value-files /m);
  });

  test("can be read by others", async () => {
    chmodSync(path(), 0o640);
    expect(only(await setUp.diagnose())).toMatch(
      /^value-files cross: Others may read the tokens of the stack "web".* 640/,
    );
  });

  test("are left over", async () => {
    setUp.synth();
    // A synthesis removes it; something else has brought it back, as a cache of a pipeline does.
    writeValueFile(setUp.stackFolder, { web_token: "canary-token" });
    expect(only(await setUp.diagnose())).toMatch(
      /^value-files cross: .* is left over: .*"web_token"/,
    );
  });

  test("are old", async () => {
    const then = Date.now() / 1000 - 90_000;
    utimesSync(path(), then, then);
    expect(only(await setUp.diagnose())).toMatch(
      /^value-files warning: .* were resolved 1 d 1 h ago/,
    );
  });

  test("are half written", async () => {
    setUp.write("project/cdktf.out/stacks/web/.iam-tokens-values-0123", "canary", 0o600);
    expect(only(await setUp.diagnose())).toMatch(
      /^value-files cross: .* left by a synthesis that was killed/,
    );
  });
});

test("several faults are all told, each in its line", async () => {
  chmodSync(join(setUp.folder, "password"), 0o666);
  chmodSync(join(providerFolder(), launcher()), 0o644);
  const { exitCode, text } = await setUp.diagnose();
  expect(exitCode).toBe(1);
  expect(text.match(/^FAIL /gm)).toHaveLength(2);
  expect(text.match(/^ {5}\s+-> /gm)).toHaveLength(2);
});
