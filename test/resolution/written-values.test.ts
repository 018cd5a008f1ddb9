import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { inspect } from "node:util";
import { App, TerraformOutput, TerraformStack } from "cdktf";
import { SecretRef, StaticTokenRef, TokenOutputs, TokenResolution } from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import {
  accountToken,
  annotationsOf,
  anyProvider,
  identityIn,
  testApp,
} from "../constructs/support";
import { temporaryFolder } from "../support/temporary-folder";
import {
  appWithToken,
  configurationIn,
  folderOf,
  PASSWORD,
  resolve,
  stackWithToken,
  startIdentity,
  synthesize,
  valuesIn,
} from "./support";

describe("after a pass", () => {
  test("an ephemeral variable, and its value in one owner-only file that Git ignores", async () => {
    const { app, folder, stack, token } = await appWithToken();
    anyProvider(stack, { token: token.value, headers: token.headers });

    const resolved = await synthesize(app);

    const values = valuesIn(folder);
    expect(values).toEqual({ web_token: expect.stringMatching(/.{20}/) });
    expect(resolved.environment()).toEqual({ TF_VAR_web_token: values?.web_token });
    expect(configurationIn(folder)).toMatchObject({
      variable: { web_token: { type: "string", ephemeral: true, sensitive: true } },
      provider: {
        any: [{ token: "${var.web_token}", headers: { "X-Auth-Token": "${var.web_token}" } }],
      },
    });
    // A machine without Node.js can run it.
    expect(JSON.stringify(configurationIn(folder))).not.toContain("npm.invalid");
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toContain(
      "/iam-tokens.auto.tfvars.json\n",
    );
    const canaries = { token: String(values?.web_token), password: PASSWORD };
    const { findings, notScanned } = scanForLeaks({ canaries, folders: [app.outdir] });
    expect(notScanned).toEqual([]);
    expect(findings.map(({ canary, where }) => [canary, where])).toEqual([
      ["token", join(folder, "iam-tokens.auto.tfvars.json")],
    ]);
    expect(readdirSync(folder).sort()).toEqual([
      ".gitignore",
      "cdk.tf.json",
      "iam-tokens.auto.tfvars.json",
    ]);
  });

  test("with allowInState an ordinary sensitive variable, and the details that the program reads from the token", async () => {
    const { service, app, folder, stack, token } = await appWithToken({
      resolution: TokenResolution.synth({ allowInState: true }),
    });
    new TokenOutputs(stack, "ci", { token });
    new TerraformOutput(stack, "print", { value: token.fingerprint });

    await resolve(app);
    writeFileSync(join(folder, ".gitignore"), "mine\n");
    app.synth();

    expect(annotationsOf(stack)).toEqual([
      expect.stringMatching(
        /does not list iam-tokens\.auto\.tfvars\.json.*\[WARN_VALUES_NOT_IGNORED\]$/,
      ),
    ]);
    expect(configurationIn(folder)).toMatchObject({
      variable: { web_token: { sensitive: true }, web_details: { default: {} } },
      output: { ci_expires_at: { value: "${var.web_details.expires_at}" } },
    });
    expect(JSON.stringify(configurationIn(folder))).not.toContain('"ephemeral"');
    expect(valuesIn(folder)).toEqual({
      web_token: expect.any(String),
      web_details: {
        issued_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
        auth_url: `${service.authUrl}/identity/v3`,
        user_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
  });

  test("the provider, but not the alias of a service that only such tokens use, next to one whose tokens were removed", async () => {
    const { app, folder, stack } = await appWithToken();
    identityIn(stack);
    await synthesize(app);
    const iam = [expect.not.objectContaining({ alias: expect.anything() }), { alias: "identity" }];
    expect(configurationIn(folder)).toMatchObject({ provider: { iam } });
    expect(existsSync(join(folder, "terraform.d"))).toBe(true);
  });

  test("static tokens from the environment and from a file in the project", async () => {
    const app = testApp();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "token"), "static-token-of-a-file\n");
    const stack = new TerraformStack(app, "a");
    const resolution = TokenResolution.synth();
    new StaticTokenRef(stack, "env", { source: SecretRef.env("STATIC_TOKEN"), resolution });
    new StaticTokenRef(stack, "file", {
      source: SecretRef.file(relative(process.cwd(), join(folder, "token"))),
      resolution,
    });
    await synthesize(app, {
      environment: { STATIC_TOKEN: "static-token-of-env" },
    });
    expect(valuesIn(folderOf(app, "a"))).toEqual({
      env_token: "static-token-of-env",
      file_token: "static-token-of-a-file",
    });
  });

  test("no value when it is printed, logged or serialized", async () => {
    const { app } = await appWithToken();
    const resolved = await resolve(app);
    const [token] = Object.values(resolved.environment());
    for (const text of [`${resolved}`, inspect(resolved, { depth: 9 }), JSON.stringify(resolved)])
      expect(text).not.toContain(token);
  });
});

describe("an earlier value file", () => {
  test("is removed with the token: with others of ours in the stack, without, and with the stack itself", async () => {
    const service = await startIdentity();
    const outdir = temporaryFolder();
    const appIn = () => new App({ outdir });
    const written = (app: App) =>
      ["a", "b", "c"].filter((id) => valuesIn(folderOf(app, id)) !== undefined);
    const write = async () => {
      const app = appIn();
      for (const id of ["a", "b", "c"]) stackWithToken(app, id, service);
      await resolve(app);
      app.synth();
      expect(written(app)).toEqual(["a", "b", "c"]);
    };
    await write();
    const app = appIn();
    const a = new TerraformStack(app, "a");
    accountToken(a, {}, "other");
    new TerraformStack(app, "b");
    app.synth();
    expect(written(app)).toEqual([]);
    expect(existsSync(join(folderOf(app, "b"), ".gitignore"))).toBe(false);

    await write();
    const empty = appIn();
    new TerraformStack(empty, "a");
    await resolve(empty);
    expect(written(empty)).toEqual([]);
  });
});
