import { readdirSync } from "node:fs";
import { TerraformElement, TerraformOutput, TerraformStack } from "cdktf";
import { accountToken, annotationsOf } from "../constructs/support";
import { succeed } from "../support/command";
import { packageRoot } from "../support/project";
import { temporaryFolder } from "../support/temporary-folder";
import {
  ACCOUNT,
  appWithToken,
  configurationIn,
  ENVIRONMENT,
  rejection,
  resolve,
  stackWithToken,
  startIdentity,
  synthesize,
  tokenIn,
  valuesIn,
} from "./support";

describe("no file is written", () => {
  test("when the program does not ask for it", async () => {
    const { app, folder, stack } = await appWithToken();
    // Nor for a command that needs no token: Terraform would prefer a placeholder to TF_VAR_….
    await resolve(app, { writeFile: false, skip: true });
    app.synth();
    expect(valuesIn(folder)).toBeUndefined();
    const resolved = await resolve(app, { writeFile: false });
    app.synth();
    expect([valuesIn(folder), annotationsOf(stack)]).toEqual([undefined, []]);
    expect(resolved.environment("a")).toHaveProperty("TF_VAR_web_token");
  });

  const CI = { ...ENVIRONMENT, CI: "true" };
  test.each<[string, boolean, Parameters<typeof resolve>[1]]>([
    ["by default", true, {}],
    ["by default, with CI", false, { environment: CI }],
    ["with CI, if the program asks for it", true, { writeFile: true, environment: CI }],
    ["for a string", false, { writeFile: "false" as never }],
    ["with a string as skip", true, { skip: "false" as never }],
  ])("%s: %s", async (_name, isWritten, options) => {
    const { service, app, folder } = await appWithToken();
    await synthesize(app, options);
    expect(service.requests()).toBe(1);
    expect(valuesIn(folder) !== undefined).toBe(isWritten);
  });

  test("under the CDKTF command line, Terraform could then only ask: no token is requested", async () => {
    const { service, app, stack } = await appWithToken();
    process.env.CDKTF_CONTEXT_JSON = "{}";
    try {
      const error = await rejection(resolve(app, { environment: CI }));
      expect(error.message).toMatch(/writeFile: true .*\[ERR_TOKENS_NOT_RESOLVED\]$/);
      expect(service.requests()).toBe(0);
      await resolve(app, { writeFile: false, skip: true });
      stack.node.tryRemoveChild("web");
      await resolve(app, { writeFile: false });
    } finally {
      delete process.env.CDKTF_CONTEXT_JSON;
    }
  });

  test("SynthTokens waits for the tokens without a promise, in the process's own environment", async () => {
    const { authUrl } = await startIdentity();
    const program = `
      const { App, TerraformStack } = require("cdktf");
      const iam = require(${JSON.stringify(packageRoot)});
      const app = new App({ outdir: ${JSON.stringify(temporaryFolder())} });
      const stack = new TerraformStack(app, "a");
      const token = (id, variable) => new iam.ServiceUserToken(stack, id, {
        identity: new iam.IdentityService(stack, "identity-" + id, {
          authUrl: "${authUrl}",
          accountId: "${ACCOUNT}",
          serviceUser: { name: "deployer", password: iam.SecretRef.env(variable) },
        }),
        scope: iam.TokenScope.account(),
        resolution: iam.TokenResolution.synth(),
      });
      const said = (action) => { try { return action(); } catch ({ message }) { return message; } };
      token("web", "SERVICE_USER_PASSWORD");
      const tokens = new iam.SynthTokens(app, { writeFile: false });
      const before = said(() => tokens.environment());
      tokens.resolve();
      const resolved = tokens.environment();
      token("more", "NOT_SET");
      console.log(JSON.stringify([before, resolved, said(() => tokens.resolve())]));`;
    const stdout = await succeed(process.execPath, ["-e", program], packageRoot, {
      ...process.env,
      ...ENVIRONMENT,
    });
    expect(JSON.parse(stdout)).toEqual([
      expect.stringMatching(/^resolve\(\) was not .*\[ERR_TOKENS_NOT_RESOLVED\]$/),
      { TF_VAR_web_token: expect.stringMatching(/.{20}/) },
      expect.stringMatching(/\[a\/more\] .*\[ERR_SECRET_MISSING\]/),
    ]);
  });

  test("the environment is that of the synthesized stack, not of the stack during the pass", async () => {
    const { app, folder, stack, token } = await appWithToken();
    const resolved = await resolve(app, { writeFile: false });
    new TerraformOutput(stack, "print", { value: token.fingerprint });
    for (const child of token.node.findAll())
      if (child instanceof TerraformElement) child.overrideLogicalId("renamed");
    app.synth();
    const environment = resolved.environment();
    const variables = Object.keys(configurationIn(folder).variable as object);
    expect(Object.keys(environment).sort()).toEqual(
      variables.map((name) => `TF_VAR_${name}`).sort(),
    );
    expect(JSON.parse(environment.TF_VAR_renamed_details ?? "")).toHaveProperty("fingerprint");
  });

  test("an environment for all stacks is refused where they disagree", async () => {
    const { service, app } = await appWithToken();
    stackWithToken(app, "b", { authUrl: service.authUrl, user: "u1" });
    const c = new TerraformStack(app, "c");
    accountToken(c);
    const resolved = await resolve(app, { writeFile: false });
    expect(readdirSync(app.outdir, { recursive: true })).toEqual(["stacks"]);
    expect(() => resolved.environment()).toThrow(
      /^More than one stack \(the last is b\) has a variable web_token\. Run .*\[ERR_NAME_TAKEN\]$/,
    );
    expect(resolved.environment("a")).not.toEqual(resolved.environment("b"));
    expect(() => resolved.environment("c")).toThrow(
      'The stack "c" has no resolved tokens. Allowed: a, b. ',
    );
    expect(() => resolved.environment(c)).toThrow("The stack c has");
  });
});

describe("a skipped pass", () => {
  test.each([
    ["an option", { skip: true }],
    ["the environment", { environment: { IAM_TOKENS_SKIP_RESOLVE: "1" } }],
    ["the environment's true", { environment: { IAM_TOKENS_SKIP_RESOLVE: "true" } }],
  ])("by %s keeps the existing values, and sends no request", async (_name, options) => {
    const { service, app, folder, stack } = await appWithToken();
    await synthesize(app);
    const before = valuesIn(folder);
    const more = tokenIn(stack, service, "more");
    expect(more.expiresAt).toBeDefined();
    accountToken(stack, {}, "by-terraform");
    const resolved = await resolve(app, options);
    expect(resolved.environment()).toEqual({});
    expect(resolved.environment("a")).toEqual({});
    expect(() => resolved.environment("b")).toThrow("Allowed: a.");
    app.synth();
    expect(annotationsOf(stack)).toEqual([]);
    expect(valuesIn(folder)).toEqual({
      ...before,
      more_token: "not-resolved",
      more_details: {},
    });
    expect(service.requests()).toBe(1);
  });
});
