import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { Lazy, TerraformVariable } from "cdktf";
import { SecretRef, StaticTokenRef, TokenResolution, TokenScope } from "../../lib";
import { failureOf } from "../../lib/resolution/failures";
import { mistakesOf, testApp } from "../constructs/support";
import {
  appWithToken,
  ENVIRONMENT,
  folderOf,
  rejection,
  resolve,
  stackWithToken,
  startIdentity,
  tokenIn,
  valuesIn,
} from "./support";

describe("app.synth() refuses", () => {
  test("when resolveTokens was not awaited", async () => {
    const { stack } = stackWithToken(testApp(), "a", { authUrl: "https://a.test" });
    expect(mistakesOf(stack).join()).toMatch(
      /^\[a\/web\] .*was not awaited.*\[ERR_TOKENS_NOT_RESOLVED\]$/,
    );
  });

  test("a token that was declared after the pass", async () => {
    const { service, app, folder, stack } = await appWithToken();
    await resolve(app);
    tokenIn(stack, service, "late");
    expect(() => app.synth()).toThrow(
      /\[a\/late\] The token was declared after resolveTokens had finished/,
    );
    expect(valuesIn(folder)).toBeUndefined();
    for (const id of ["web", "late"]) stack.node.tryRemoveChild(id);
    app.synth();
    expect(valuesIn(folder)).toBeUndefined();
  });
});

describe("when something is wrong, all failures are reported and nothing is written", () => {
  test("half of the credentials are wrong", async () => {
    const service = await startIdentity();
    const app = testApp();
    const wrong = SecretRef.env("WRONG");
    stackWithToken(app, "a", service);
    stackWithToken(app, "b", { authUrl: service.authUrl, password: wrong });
    stackWithToken(app, "c", { authUrl: service.authUrl, user: "u1" });
    stackWithToken(app, "d", { authUrl: service.authUrl, password: wrong });
    const environment = { ...ENVIRONMENT, WRONG: "canary-wrong-password" };
    const error = await rejection(resolve(app, { environment }));
    expect(error.code).toBe("ERR_RESOLUTION_FAILED");
    expect(error.message).toMatch(
      /^Resolving tokens before synthesis failed:\n {2}\[b\/web\] \[d\/web\] .*causes:(\n {4}- .*){5}\n {4}Check \S.* [^ \n]*\[ERR_CREDENTIALS_REJECTED\]\n/,
    );
    // Two good ones, and the wrong password once.
    expect(service.requests()).toBe(3);
    expect(readdirSync(folderOf(app, "a"))).toEqual([]);
    expect(() => app.synth()).toThrow("ERR_TOKENS_NOT_RESOLVED");
    // No Terraform runs: its option would not get past this.
    expect(error.message).toContain(
      "To destroy resources that need no token, set IAM_TOKENS_SKIP_RESOLVE=1.",
    );
    expect(error.message).not.toContain("terraform destroy");
    for (const text of [inspect(error), error.stack, String(error)]) {
      expect(text).toContain("[b/web]");
      expect(text).not.toMatch(/canary|\n {4}at |problem:/);
    }
  });

  test("values that only Terraform knows", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", {
      authUrl: service.authUrl,
      props: { scope: TokenScope.project("${var.project}") },
    });
    const secret = new TerraformVariable(stack, "password", { type: "string", sensitive: true });
    tokenIn(
      stack,
      { authUrl: service.authUrl, password: SecretRef.fromTerraform(secret.stringValue) },
      "by-variable",
    );
    tokenIn(stack, { authUrl: "${var.address}" }, "address");
    const produce = () => {
      throw new Error("canary");
    };
    const minRemaining = Lazy.stringValue({ produce });
    tokenIn(
      stack,
      { authUrl: service.authUrl, props: { resolution: TokenResolution.synth({ minRemaining }) } },
      "lazy",
    );
    const error = await rejection(resolve(app));
    expect(error.message.match(/ERR_RESOLUTION_UNKNOWN/g)).toHaveLength(4);
    expect(error.message).toContain("[a/lazy] An argument cannot be resolved before synthesis.");
    for (const [path, argument] of [
      ["a/web", "project_name"],
      ["a/by-variable", "password"],
      ["a/address", "auth_url"],
    ]) {
      expect(error.message).toContain(`[${path}] ${argument} is a Terraform expression`);
    }
    expect(service.requests()).toBe(0);
  });

  test("an address, and a static token's place, that the pipeline does not allow", async () => {
    const { service, app, stack } = await appWithToken();
    new StaticTokenRef(stack, "dns", {
      source: SecretRef.env("OS_PASSWORD"),
      resolution: TokenResolution.synth(),
    });
    const environment = {
      ...ENVIRONMENT,
      OS_PASSWORD: "canary",
      IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.test",
      IAM_TOKENS_ALLOWED_STATIC_SOURCES: "STATIC_*",
    };
    const { message } = await rejection(resolve(app, { environment }));
    expect(message).toMatch(/\[a\/web\] .*\[ERR_ADDRESS_NOT_ALLOWED\]/);
    expect(message).toMatch(/\[a\/dns\] .*\[ERR_STATIC_SOURCE_NOT_ALLOWED\]/);
    expect(message).not.toContain("canary");
    expect(service.requests()).toBe(0);
  });

  test("reports folders and wrong declarations in one list, and requests no token", async () => {
    const service = await startIdentity();
    const app = testApp();
    for (const id of ["a", "b", "c"]) stackWithToken(app, id, service);
    const d = stackWithToken(app, "d", {
      ...service,
      props: { scope: TokenScope.project("${var.project}") },
    });
    writeFileSync(folderOf(app, "b"), "a file in the place of a folder");
    const own = join(folderOf(app, "c"), "iam-tokens.auto.tfvars.json");
    mkdirSync(folderOf(app, "c"));
    writeFileSync(own, "{}");
    const error = await rejection(resolve(app));
    expect(error.message).toMatch(/^Resolving tokens before synthesis failed:/);
    expect(error.message).toMatch(/\n {2}\[b\] .*(?:EEXIST|ENOTDIR).*\[ERR_WRITE_FAILED\]\n/);
    expect(error.message).toMatch(/\n {2}\[c\] .*\[ERR_FILE_NOT_OURS\]\n/);
    expect(error.message).toMatch(/\n {2}\[d\/web\] .*\[ERR_RESOLUTION_UNKNOWN\]\n/);
    expect(service.requests()).toBe(0);

    rmSync(folderOf(app, "b"));
    rmSync(own);
    d.stack.node.tryRemoveChild("web");
    await resolve(app);
    // Whatever was tried there, nothing of it is left.
    for (const id of ["a", "b", "c"]) expect(readdirSync(folderOf(app, id))).toEqual([]);
    expect(service.requests()).toBe(1);
  });

  test("another error than ours is thrown", () => {
    expect(() => failureOf("a", new TypeError())).toThrow(TypeError);
  });
});
