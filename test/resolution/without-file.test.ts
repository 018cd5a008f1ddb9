import { existsSync } from "node:fs";
import {
  Aspects,
  CloudBackend,
  NamedCloudWorkspace,
  TerraformElement,
  TerraformOutput,
  TerraformStack,
} from "cdktf";
import { TokenWarnings } from "../../lib";
import { ciVariable } from "../../lib/resolution/options";
import { defined } from "../../lib/tokens";
import { accountToken, annotationsOf, testApp } from "../constructs/support";
import { succeed } from "../support/command";
import { packageRoot } from "../support/project";
import { temporaryFolder } from "../support/temporary-folder";
import {
  ACCOUNT,
  appWithToken,
  configurationIn,
  ENVIRONMENT,
  folderOf,
  resolve,
  stackWithToken,
  startIdentity,
  synthesize,
  tokenIn,
  valuesIn,
  watched,
} from "./support";

describe("no file is written", () => {
  test.each([
    ["CI is set", { environment: { ...ENVIRONMENT, CI: "true" } }],
    ["writeFile is false", { writeFile: false }],
  ])("when %s, with a message if the values are not taken", async (why, options) => {
    const { app, folder, stack } = await appWithToken();
    const { lines, stream } = watched();
    const atExit = jest.spyOn(process, "once");
    const resolved = await resolve(app, { ...options, stream });
    expect([existsSync(folder), lines]).toEqual([false, []]);
    app.synth();
    expect(valuesIn(folder)).toBeUndefined();
    // The program may still take them, to start Terraform itself.
    expect(annotationsOf(stack)).toEqual([]);
    const [, end] = atExit.mock.calls.find(([event]) => event === "exit") ?? [];
    const print = jest.spyOn(process.stderr, "write").mockReturnValue(true);
    end?.();
    expect(print.mock.calls.flat()).toEqual([
      expect.stringMatching(
        new RegExp(
          `not written to a file: ${why}\\. .*Pass them to .*\\[WARN_VALUES_NOWHERE\\]\n$`,
        ),
      ),
    ]);
    resolved.environment();
    end?.();
    expect(print).toHaveBeenCalledTimes(1);
  });

  test.each(
    "CI CONTINUOUS_INTEGRATION BUILD_ID BUILD_NUMBER TF_BUILD JENKINS_URL TEAMCITY_VERSION CODEBUILD_BUILD_ID TFC_RUN_ID".split(
      " ",
    ),
  )("%s says that it is a CI system, unless CI says that it is none", (name) => {
    expect(ciVariable({ [name]: "1" })).toBe(name);
    for (const CI of ["false", "0"]) expect(ciVariable({ [name]: "1", CI })).toBeUndefined();
  });

  test("under the CDKTF command line, a token that nobody would get is not requested", async () => {
    const { service, app, folder, stack } = await appWithToken();
    process.env.CDKTF_CONTEXT_JSON = "{}";
    try {
      const environment = { ...ENVIRONMENT, TF_BUILD: "True" };
      const resolved = await resolve(app, { environment });
      expect(resolved).toMatchObject({ tokens: 0, requests: 0, skipped: false });
      expect(service.requests()).toBe(0);
      app.synth();
      expect(valuesIn(folder)).toBeUndefined();
      expect(annotationsOf(stack).join()).toMatch(
        /: No token was requested, .*TF_BUILD is set\. .*Pass them to/,
      );
      expect(JSON.stringify(configurationIn(folder))).toContain("TF_VAR_web_token");

      // Who takes them gets them, also afterwards.
      const onResolved = jest.fn();
      expect(await resolve(app, { environment, onResolved })).toMatchObject({ requests: 1 });
      expect(onResolved).toHaveBeenCalledTimes(1);
    } finally {
      delete process.env.CDKTF_CONTEXT_JSON;
    }
  });

  test("when the runs become remote after the pass: by a statement, an override, an aspect", async () => {
    const service = await startIdentity();
    const app = testApp();
    const stacks = ["a", "b", "c"].map((id) => stackWithToken(app, id, service).stack);
    const [a, b, c] = stacks as [TerraformStack, TerraformStack, TerraformStack];
    await resolve(app);
    new CloudBackend(a, { organization: "o", workspaces: new NamedCloudWorkspace("w") });
    b.addOverride("terraform.cloud", { organization: "o" });
    Aspects.of(c).add({
      visit: (node) => void (node === c && c.addOverride("terraform.cloud", {})),
    });
    const atExit = jest.spyOn(process, "once");
    app.synth();
    const print = jest.spyOn(process.stderr, "write").mockReturnValue(true);
    for (const [event, end] of atExit.mock.calls) if (event === "exit") end();
    for (const stack of stacks) {
      expect(valuesIn(folderOf(app, stack.node.id))).toBeUndefined();
      const said = new RegExp(`\\[${stack.node.id}/.*the stack runs remotely`);
      expect(print.mock.calls.join()).toMatch(said);
    }
  });

  test.each([
    ["a callback", () => {}],
    ["the environment of a command", undefined],
  ])("the values go to %s, without a message", async (_where, onResolved) => {
    const { app, stack } = await appWithToken();
    const resolved = await resolve(app, { writeFile: false, ...defined({ onResolved }) });
    if (!onResolved) expect(resolved.environment("a")).toHaveProperty("TF_VAR_web_token");
    app.synth();
    expect(annotationsOf(stack)).toEqual([]);
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

  test.each([false, true])(
    "writeFile: true writes it, and warns of uploading it, unless the program has acknowledged that: %s",
    async (acknowledged) => {
      const service = await startIdentity();
      const app = testApp();
      const { stack } = stackWithToken(app, "a", service);
      if (acknowledged) TokenWarnings.of(stack).acknowledge("WARN_VALUES_UPLOADED");
      await resolve(app, { writeFile: true, environment: { ...ENVIRONMENT, CI: "1" } });
      const print = jest.spyOn(process.stderr, "write").mockReturnValue(true);
      app.synth();
      const lines = print.mock.calls.flat();
      expect(valuesIn(folderOf(app, "a"))).toEqual({ web_token: expect.any(String) });
      const warned = acknowledged ? [] : [expect.stringContaining("Do not upload")];
      expect([lines, annotationsOf(stack)]).toEqual([warned, warned]);
    },
  );

  test("an environment for all stacks is refused where they disagree", async () => {
    const { service, app } = await appWithToken();
    stackWithToken(app, "b", { authUrl: service.authUrl, user: "u1" });
    const c = new TerraformStack(app, "c");
    accountToken(c);
    const resolved = await resolve(app, { writeFile: false });
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
    expect(resolved).toMatchObject({ tokens: 0, requests: 0, skipped: true });
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
