import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import {
  App,
  Aspects,
  CloudBackend,
  DataResource,
  NamedCloudWorkspace,
  NamedRemoteWorkspace,
  RemoteBackend,
  TerraformElement,
  TerraformOutput,
  TerraformStack,
  TerraformVariable,
} from "cdktf";
import {
  IdentityService,
  resolveTokens,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import {
  AnyProvider,
  annotationsOf,
  identityIn,
  mistakesOf,
  temporaryFolder,
  testApp,
} from "../constructs/support";
import {
  configurationIn,
  ENVIRONMENT,
  folderOf,
  PASSWORD,
  rejection,
  resolve,
  stackWithToken,
  startIdentity,
  tokenIn,
  valuesIn,
} from "./support";

describe("what a pass leaves", () => {
  test("an ephemeral variable, and its value in one owner-only file that Git ignores", async () => {
    const { authUrl } = await startIdentity();
    const app = testApp();
    const { stack, token } = stackWithToken(app, "a", { authUrl });
    new AnyProvider(stack, { token: token.value, headers: token.headers });

    const resolved = await resolve(app);
    app.synth();

    const folder = folderOf(app, "a");
    const values = valuesIn(folder);
    expect(values).toEqual({ web_token: expect.stringMatching(/.{20}/) });
    expect(resolved.environment()).toEqual({ TF_VAR_web_token: values?.web_token });
    expect(configurationIn(folder)).toMatchObject({
      variable: { web_token: { type: "string", ephemeral: true, sensitive: true } },
      provider: {
        any: [{ token: "${var.web_token}", headers: { "X-Auth-Token": "${var.web_token}" } }],
      },
    });
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toContain(
      "/iam-tokens.auto.tfvars.json\n",
    );
    const canaries = { token: String(values?.web_token), password: PASSWORD };
    const found = scanForLeaks({ canaries, folders: [app.outdir] }).findings;
    expect(found.map(({ canary, where }) => [canary, where])).toEqual([
      ["token", join(folder, "iam-tokens.auto.tfvars.json")],
    ]);
    expect(readdirSync(folder).sort()).toEqual([
      ".gitignore",
      "cdk.tf.json",
      "iam-tokens.auto.tfvars.json",
    ]);
  });

  test("with allowInState an ordinary sensitive variable, and what the program asks for beside the token", async () => {
    const { authUrl } = await startIdentity();
    const app = testApp();
    const { stack, token } = stackWithToken(app, "a", { authUrl, props: { allowInState: true } });
    new TokenOutputs(stack, "ci", { token });
    new TerraformOutput(stack, "print", { value: token.fingerprint });

    await resolve(app);
    app.synth();

    const { variable, output } = configurationIn(folderOf(app, "a")) as {
      variable: Record<string, Record<string, unknown>>;
      output: Record<string, { value: string }>;
    };
    expect(variable.web_token).toMatchObject({ sensitive: true });
    expect(variable.web_token).not.toHaveProperty("ephemeral");
    expect(variable.web_details).toMatchObject({ default: {} });
    expect(output.ci_expires_at?.value).toBe("${var.web_details.expires_at}");
    expect(valuesIn(folderOf(app, "a"))).toEqual({
      web_token: expect.any(String),
      web_details: {
        issued_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
        auth_url: `${authUrl}/identity/v3`,
      },
    });
  });

  test("the details of an ephemeral token can be an output: they are no secret, and not ephemeral", async () => {
    const { authUrl } = await startIdentity();
    const app = testApp();
    const { stack, token } = stackWithToken(app, "a", { authUrl });
    new TerraformOutput(stack, "print", { value: token.fingerprint });
    await resolve(app);
    app.synth();
    expect(configurationIn(folderOf(app, "a"))).toMatchObject({
      output: { print: { value: "${var.web_details.fingerprint}" } },
    });
  });

  test("no provider of ours, no lock entry: nothing that a machine without Node.js could not run", async () => {
    const { authUrl } = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", { authUrl });
    await resolve(app);
    app.synth();
    expect(configurationIn(folderOf(app, "a"))).not.toHaveProperty("provider");
    expect(JSON.stringify(configurationIn(folderOf(app, "a")))).not.toContain("npm.invalid");
    expect(existsSync(join(folderOf(app, "a"), "terraform.d"))).toBe(false);
  });

  test("the provider, but not the alias of a service that only such tokens use, beside a token of another way", async () => {
    const { authUrl } = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", { authUrl });
    new ServiceUserToken(stack, "other", {
      identity: identityIn(stack),
      scope: TokenScope.account(),
    });
    await resolve(app);
    app.synth();
    const { provider } = configurationIn(folderOf(app, "a")) as {
      provider: { iam: { alias?: string }[] };
    };
    expect(provider.iam.map(({ alias }) => alias)).toEqual([undefined, "identity"]);
    expect(existsSync(join(folderOf(app, "a"), "terraform.d"))).toBe(true);
  });

  test("the same cdk.tf.json at each synthesis", async () => {
    const { authUrl } = await startIdentity();
    const texts: string[] = [];
    for (const _ of [1, 2]) {
      const app = testApp();
      const { stack, token } = stackWithToken(app, "a", { authUrl, props: { allowInState: true } });
      new TokenOutputs(stack, "ci", { token });
      await resolve(app);
      app.synth();
      texts.push(readFileSync(join(folderOf(app, "a"), "cdk.tf.json"), "utf8"));
    }
    expect(texts[0]).toBe(texts[1]);
  });

  test("static tokens from the environment and from a file beside the project", async () => {
    const app = testApp();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "token"), "static-token-of-a-file\n");
    const stack = new TerraformStack(app, "a");
    const resolution = TokenResolution.SYNTH;
    new StaticTokenRef(stack, "env", { source: SecretRef.env("STATIC_TOKEN"), resolution });
    new StaticTokenRef(stack, "file", {
      source: SecretRef.file(join(folder, "token")),
      resolution,
    });
    const resolved = await resolve(app, { environment: { STATIC_TOKEN: "static-token-of-env" } });
    app.synth();
    expect(valuesIn(folderOf(app, "a"))).toEqual({
      env_token: "static-token-of-env",
      file_token: "static-token-of-a-file",
    });
    expect({ ...resolved }).toMatchObject({ tokens: 2, requests: 0 });
  });

  test("nothing is said of a static token that its user accepted in the state", async () => {
    const app = testApp();
    const stack = new TerraformStack(app, "a");
    const accepted = {
      resolution: TokenResolution.SYNTH,
      allowInState: true,
      acceptStaticTokenInState: true,
    };
    const token = new StaticTokenRef(stack, "dns", {
      source: SecretRef.env("STATIC_TOKEN"),
      ...accepted,
    });
    new TokenOutputs(stack, "ci", { token });
    await resolve(app, { environment: { STATIC_TOKEN: "static-token-of-env" } });
    app.synth();
    expect(valuesIn(folderOf(app, "a"))).toEqual({ dns_token: "static-token-of-env" });
    expect(annotationsOf(stack, "warn")).toEqual([]);
  });

  test("nothing of the values when it is printed, logged or serialized", async () => {
    const { authUrl } = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", { authUrl });
    const resolved = await resolve(app);
    const [token] = Object.values(resolved.environment());
    for (const text of [
      `${resolved}`,
      inspect(resolved, { depth: 9, showHidden: true }),
      JSON.stringify(resolved),
    ]) {
      expect(text).toContain("requests");
      expect(text).not.toContain(token);
    }
  });
});

describe("one pass over the tree", () => {
  test("30 stacks with 5 credentials make 5 requests", async () => {
    const service = await startIdentity();
    const app = testApp();
    const users = ["deployer", "u1", "u2", "u3", "u4"];
    for (let index = 0; index < 30; index++) {
      stackWithToken(app, `s${index}`, {
        authUrl: service.authUrl,
        user: users[index % 5] as string,
      });
    }
    const resolved = await resolve(app);
    expect(service.requests()).toBe(5);
    expect(resolved.toJSON()).toEqual({ tokens: 30, requests: 5, skipped: false });
    app.synth();
    expect(valuesIn(folderOf(app, "s7"))?.web_token).toBe(
      valuesIn(folderOf(app, "s12"))?.web_token,
    );
  });

  test("never more than eight requests under way, over all services", async () => {
    const under = { now: 0, most: 0 };
    const answers: (() => void)[] = [];
    const listen = () =>
      new Promise<{ url: string; close: () => Promise<void> }>((done) => {
        const server = createServer((socket) => {
          socket.once("data", () => {
            under.now++;
            under.most = Math.max(under.most, under.now);
            answers.push(() => {
              under.now--;
              socket.end(
                "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
              );
            });
            // Eight must come; for a ninth there is some time.
            if (answers.length === 8) setTimeout(answerAll, 100);
          });
        });
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as { port: number };
          done({
            url: `http://127.0.0.1:${port}`,
            close: () => new Promise((closed) => server.close(() => closed())),
          });
        });
      });
    const answerAll = (): void => {
      for (const answer of answers.splice(0)) answer();
    };
    const servers = await Promise.all([listen(), listen(), listen()]);
    const app = testApp();
    for (let index = 0; index < 24; index++) {
      const { url } = servers[index % 3] as { url: string };
      stackWithToken(app, `s${index}`, { authUrl: url, user: `user-${index}` });
    }
    const error = await rejection(resolve(app)).finally(() =>
      Promise.all(servers.map((server) => server.close())),
    );
    expect(error.message).toContain("Resolving 24 tokens before synthesis met 24 failures");
    expect(under.most).toBe(8);
  });

  test("stacks inside stacks and constructs inside constructs", async () => {
    const service = await startIdentity();
    const app = testApp();
    const outer = new TerraformStack(app, "outer");
    const { token } = { token: tokenIn(new TerraformStack(outer, "inner"), service) };
    expect(token.node.path).toBe("outer/inner/web");
    await resolve(app);
    app.synth();
    expect(valuesIn(folderOf(app, "inner"))).toEqual({ web_token: expect.any(String) });
    expect(valuesIn(folderOf(app, "outer"))).toBeUndefined();
  });

  test("of those that share, the longest minRemaining is honoured", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    stackWithToken(app, "b", {
      ...service,
      authUrl: service.authUrl,
      props: { minRemaining: "20h" },
    });
    await resolve(app);
    expect(service.requests()).toBe(1);
  });

  test("a token that may stand in state is never one that may not", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    stackWithToken(app, "b", { authUrl: service.authUrl, props: { allowInState: true } });
    await resolve(app);
    app.synth();
    expect(valuesIn(folderOf(app, "a"))?.web_token).not.toBe(
      valuesIn(folderOf(app, "b"))?.web_token,
    );
  });

  test("called twice, the second pass asks only for what was declared since", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    await resolve(app);
    new ServiceUserToken(stack, "project", {
      identity: stack.node.findChild("identity-web") as IdentityService,
      scope: TokenScope.project("web"),
      resolution: TokenResolution.SYNTH,
    });
    const [second, third] = await Promise.all([resolve(app), resolve(app)]);
    expect(service.requests()).toBe(2);
    expect([second?.toJSON(), third?.toJSON()]).toEqual([
      { tokens: 2, requests: 1, skipped: false },
      { tokens: 2, requests: 0, skipped: false },
    ]);
    app.synth();
    expect(Object.keys(valuesIn(folderOf(app, "a")) ?? {})).toEqual(["web_token", "project_token"]);
  });

  test("two apps in one process know nothing of each other", async () => {
    const service = await startIdentity();
    const [one, other] = [testApp(), testApp()];
    stackWithToken(one, "a", service);
    stackWithToken(other, "a", service);
    await resolve(one);
    one.synth();
    expect(() => other.synth()).toThrow("ERR_TOKENS_NOT_RESOLVED");
    await resolve(other);
    other.synth();
    expect(valuesIn(folderOf(one, "a"))?.web_token).not.toBe(
      valuesIn(folderOf(other, "a"))?.web_token,
    );
  });
});

describe("credentials from where people keep them", () => {
  test("the environment", async () => {
    const service = await startIdentity();
    const app = testApp();
    const stack = new TerraformStack(app, "a");
    const identity = IdentityService.fromEnvironment(stack, "identity");
    new ServiceUserToken(stack, "web", {
      identity,
      scope: TokenScope.account(),
      resolution: TokenResolution.SYNTH,
    });
    const environment = {
      OS_AUTH_URL: service.authUrl,
      OS_USERNAME: "deployer",
      OS_PASSWORD: PASSWORD,
      OS_USER_DOMAIN_NAME: "123456",
    };
    await resolve(app, { environment });
    expect(service.requests()).toBe(1);
  });

  test("an entry of clouds.yaml in the project's folder", async () => {
    const service = await startIdentity();
    const project = temporaryFolder();
    const auth = {
      auth_url: service.authUrl,
      username: "deployer",
      password: PASSWORD,
      user_domain_name: "123456",
    };
    writeFileSync(join(project, "clouds.yaml"), JSON.stringify({ clouds: { prod: { auth } } }));
    const app = testApp();
    const stack = new TerraformStack(app, "a");
    const identity = IdentityService.fromCloud(stack, "identity", "prod", {
      cloudsFolder: project,
    });
    new ServiceUserToken(stack, "web", {
      identity,
      scope: TokenScope.account(),
      resolution: TokenResolution.SYNTH,
    });
    await resolve(app, { environment: {} });
    expect(service.requests()).toBe(1);
  });
});

describe("the base address rule", () => {
  test("holds for destinations", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { token } = stackWithToken(app, "a", {
      authUrl: service.authUrl,
      baseUrl: "https://api.test",
    });
    expect(Object.keys(token.headersFor("https://api.test/v1"))).toEqual(["X-Auth-Token"]);
    token.headersFor("https://api.test.evil.test");
    const error = await rejection(resolve(app));
    expect(error.message).toMatch(/\[a\/web\] .*\[ERR_DESTINATION_REFUSED\]/);
    expect(service.requests()).toBe(0);
  });

  test("an address that only Terraform knows is refused with synth", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack, token } = stackWithToken(app, "a", {
      authUrl: service.authUrl,
      baseUrl: "https://api.test",
    });
    new AnyProvider(stack, { headers: token.headersFor("${any_thing.x.url}") });
    expect((await rejection(resolve(app))).message).toMatch(
      /\[a\/web\] destinations .*\[ERR_RESOLUTION_UNKNOWN\]/,
    );
  });
});

describe("app.synth() refuses", () => {
  test("when resolveTokens was not awaited", async () => {
    const { stack } = stackWithToken(testApp(), "a", { authUrl: "https://a.test" });
    expect(mistakesOf(stack).join()).toMatch(
      /^\[a\/web\] .*was not awaited.*\[ERR_TOKENS_NOT_RESOLVED\]$/,
    );
  });

  test("a token that was declared after the pass", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    await resolve(app);
    tokenIn(stack, service, "late");
    expect(() => app.synth()).toThrow(
      /\[a\/late\] The token was declared after resolveTokens had passed/,
    );
    expect(valuesIn(folderOf(app, "a"))).toBeUndefined();
  });

  test("an ephemeral one as an output, with allowInState as the remedy", async () => {
    const { stack, token } = stackWithToken(testApp(), "a", { authUrl: "https://a.test" });
    new TokenOutputs(stack, "ci", { token });
    expect(mistakesOf(stack).join("\n")).toMatch(/allowInState: true.*ERR_EPHEMERAL_OUTPUT/);
  });

  test.each([
    ["revokeOnClose", { revokeOnClose: true }, "ERR_PROP_INVALID"],
    [
      "allowInState of another way",
      { resolution: TokenResolution.DATA, allowInState: true },
      "ERR_PROP_INVALID",
    ],
    [
      "allowInState that is no flag",
      { allowInState: "yes" as unknown as boolean },
      "ERR_PROP_INVALID",
    ],
  ])("%s", (_name, props, code) => {
    const { stack } = stackWithToken(testApp(), "a", { authUrl: "https://a.test", props });
    expect(mistakesOf(stack).join("\n")).toContain(code);
  });

  test("a static token in state that nobody has accepted there", () => {
    const stack = new TerraformStack(testApp(), "a");
    const source = SecretRef.env("STATIC_TOKEN");
    new StaticTokenRef(stack, "t", {
      source,
      resolution: TokenResolution.SYNTH,
      allowInState: true,
    });
    expect(mistakesOf(stack).join("\n")).toContain("ERR_STATIC_TOKEN_IN_STATE");
  });

  test("a variable of the user's with the same name", async () => {
    const { stack } = stackWithToken(testApp(), "a", { authUrl: "https://a.test" });
    new TerraformVariable(stack, "web_token", { type: "string" });
    expect(mistakesOf(stack).join("\n")).toMatch(/a\/web_token has the same name.*ERR_NAME_TAKEN/);
  });
});

describe("when something is wrong, all that failed is told and nothing is written", () => {
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
      /^Resolving 4 tokens before synthesis met 2 failures:\n {2}\[b\/web\] .*\[ERR_CREDENTIALS_REJECTED\]\n/,
    );
    expect(error.message).toMatch(
      /\n {2}\[d\/web\] The same as \[b\/web\]\. \[ERR_CREDENTIALS_REJECTED\]\n/,
    );
    // Two good ones, and the wrong password once.
    expect(service.requests()).toBe(3);
    expect(readdirSync(join(app.outdir, "stacks"))).toEqual([]);
    expect(() => app.synth()).toThrow("ERR_TOKENS_NOT_RESOLVED");
    expect(error).toMatchObject({
      failures: [{ path: "b/web", code: "ERR_CREDENTIALS_REJECTED" }, { path: "d/web" }],
    });
    for (const text of [inspect(error), error.stack, String(error)]) {
      expect(text).toContain("[b/web]");
      expect(text).not.toMatch(/canary|\n {4}at |problem:/);
    }
  });

  test("the service is down", async () => {
    const app = testApp();
    stackWithToken(app, "a", { authUrl: "http://127.0.0.1:9", retryFor: "0s" });
    const error = await rejection(resolve(app));
    expect(error.message).toMatch(/\[a\/web\] .*\[ERR_CONNECTION_FAILED\]/s);
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
    const error = await rejection(resolve(app));
    expect(error.message.match(/ERR_RESOLUTION_UNKNOWN/g)).toHaveLength(3);
    for (const [path, argument] of [
      ["a/web", "project_name"],
      ["a/by-variable", "password"],
      ["a/address", "auth_url"],
    ]) {
      expect(error.message).toContain(`[${path}] ${argument} is a Terraform expression`);
    }
    expect(service.requests()).toBe(0);
  });

  test("a scope that is undefined, as JavaScript lets it through; nothing is asked with other credentials instead", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", {
      authUrl: service.authUrl,
      props: { scope: undefined as unknown as TokenScope },
    });
    const stack = new TerraformStack(app, "b");
    const identity = undefined as unknown as IdentityService;
    new ServiceUserToken(stack, "t", {
      identity,
      scope: TokenScope.account(),
      resolution: TokenResolution.SYNTH,
    });
    const environment = {
      ...ENVIRONMENT,
      OS_AUTH_URL: service.authUrl,
      OS_USERNAME: "deployer",
      OS_PASSWORD: PASSWORD,
      OS_USER_DOMAIN_NAME: "123456",
    };
    const error = await rejection(resolve(app, { environment }));
    expect(error.message).toMatch(/\[a\/web\] scope is missing.*\[ERR_SCOPE_INVALID\]/);
    expect(error.message).toMatch(/\[b\/t\] identity is missing.*\[ERR_PROP_INVALID\]/);
    expect(service.requests()).toBe(0);
  });

  test("an address that the pipeline does not allow", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    const environment = { ...ENVIRONMENT, IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.test" };
    expect((await rejection(resolve(app, { environment }))).message).toContain(
      "ERR_ADDRESS_NOT_ALLOWED",
    );
    expect(service.requests()).toBe(0);
  });

  test("a file of that name that is the user's own: untouched", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    const folder = folderOf(app, "a");
    const path = join(folder, "iam-tokens.auto.tfvars.json");
    mkdirSync(folder, { recursive: true });
    for (const content of ['{"web_token": "mine"}', "not JSON", ""]) {
      writeFileSync(path, content);
      expect((await rejection(resolve(app))).message).toMatch(
        /^Resolving a token .*\n {2}\[a\] .*ERR_FILE_NOT_OURS/,
      );
      await resolve(app, { writeFile: false });
      app.synth();
      expect(readFileSync(path, "utf8")).toBe(content);
    }
  });

  test("folders that cannot be written to, and what is wrong with declarations, in one list; no token is asked for", async () => {
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
    expect(error.message).toMatch(/^Resolving 4 tokens before synthesis met 3 failures:/);
    expect(error.message).toMatch(/\n {2}\[b\] .*ENOTDIR.*\[ERR_WRITE_FAILED\]\n/);
    expect(error.message).toMatch(/\n {2}\[c\] .*\[ERR_FILE_NOT_OURS\]\n/);
    expect(error.message).toMatch(/\n {2}\[d\/web\] .*\[ERR_RESOLUTION_UNKNOWN\]\n/);
    expect(service.requests()).toBe(0);

    rmSync(folderOf(app, "b"));
    rmSync(own);
    d.stack.node.tryRemoveChild("web");
    await resolve(app);
    // Whatever was tried there, nothing of it is left.
    expect(readdirSync(join(app.outdir, "stacks"))).toEqual(["c"]);
    expect(readdirSync(folderOf(app, "c"))).toEqual([]);
    expect(service.requests()).toBe(1);
  });

  test("an output folder in whose place something else is", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    symlinkSync(join(app.outdir, "nowhere"), folderOf(app, "a"));
    expect((await rejection(resolve(app))).message).toMatch(
      /\[a\] .*stacks\/a cannot be written: ENOENT.*\[ERR_WRITE_FAILED\]/,
    );

    rmSync(dirname(folderOf(app, "a")), { recursive: true });
    writeFileSync(dirname(folderOf(app, "a")), "a file in the place of a folder");
    expect((await rejection(resolve(app))).message).toMatch(
      /\[a\] .*stacks cannot be written: ENOTDIR.*\[ERR_WRITE_FAILED\]/,
    );
  });

  test("stacks that wait for each other: cdktf says so before any token is asked for", async () => {
    const service = await startIdentity();
    const app = testApp();
    const [a, b, c] = ["a", "b", "c"].map((id) => stackWithToken(app, id, service).stack) as [
      TerraformStack,
      TerraformStack,
      TerraformStack,
    ];
    a.addDependency(b);
    b.addDependency(c);
    expect(() => c.addDependency(a)).toThrow("circular dependency");
    expect(service.requests()).toBe(0);
    expect(readdirSync(join(app.outdir, "stacks"))).toEqual([]);
  });

  test("stacks that refer to each other, which cdktf finds when it synthesizes: no token is written", async () => {
    const service = await startIdentity();
    const app = testApp();
    const [a, b] = ["a", "b"].map((id) => stackWithToken(app, id, service).stack) as [
      TerraformStack,
      TerraformStack,
    ];
    const kept = [a, b].map((stack) => new DataResource(stack, "kept", {}));
    [b, a].forEach(
      (stack, index) => void new TerraformOutput(stack, "o", { value: kept[index]?.id }),
    );
    await resolve(app);
    expect(() => app.synth()).toThrow("circular dependency");
    expect(readdirSync(join(app.outdir, "stacks"))).toEqual([]);
  });

  test.each([undefined, null, "app", {}, new Map()])("%p is no App", async (app) => {
    expect((await rejection(resolveTokens(app as never))).message).toContain("ERR_PROP_INVALID");
  });

  test.each([
    { writeFiles: true },
    { writeFile: "no" },
    { onResolved: true },
    { stream: null },
    null,
  ])("the options %p are wrong", async (options) => {
    expect((await rejection(resolveTokens(testApp(), options as never))).message).toContain(
      "ERR_PROP_INVALID",
    );
  });

  test("an error of the callback", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    const onResolved = () => Promise.reject(new Error("vault is sealed"));
    expect((await rejection(resolve(app, { onResolved }))).message).toBe("vault is sealed");
    expect(() => app.synth()).toThrow("ERR_TOKENS_NOT_RESOLVED");
  });
});

describe("where no file is written", () => {
  const remote = (stack: TerraformStack) =>
    new CloudBackend(stack, { organization: "o", workspaces: new NamedCloudWorkspace("w") });

  test.each([
    ["CI is set", { environment: { ...ENVIRONMENT, CI: "true" } }, () => {}],
    ["the backend is HCP Terraform's", {}, remote],
    [
      "the backend is that of a Terraform Enterprise",
      {},
      (stack: TerraformStack) =>
        new RemoteBackend(stack, { organization: "o", workspaces: new NamedRemoteWorkspace("w") }),
    ],
    [
      "a backend is remote by an override",
      {},
      (stack: TerraformStack) => stack.addOverride("terraform.backend.remote", {}),
    ],
  ])("when %s, and who does not take the values is told", async (_name, options, make) => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    make(stack);
    await resolve(app, options);
    app.synth();
    expect(valuesIn(folderOf(app, "a"))).toBeUndefined();
    expect(annotationsOf(stack, "warn").join()).toContain("Hand them over");
  });

  test("under the CDKTF command line no token is asked for that nobody would get", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    process.env.CDKTF_CONTEXT_JSON = "{}";
    try {
      const environment = { ...ENVIRONMENT, TF_BUILD: "True" };
      const resolved = await resolve(app, { environment });
      expect(resolved).toMatchObject({ tokens: 0, requests: 0, skipped: false });
      expect(service.requests()).toBe(0);
      app.synth();
      expect(valuesIn(folderOf(app, "a"))).toBeUndefined();
      expect(annotationsOf(stack, "warn").join()).toMatch(
        /: No token is asked for, .*this is Azure Pipelines; .*Hand them over/,
      );
      const { variable } = configurationIn(folderOf(app, "a")) as {
        variable: Record<string, { description: string }>;
      };
      expect(variable.web_token?.description).toContain("TF_VAR_web_token");

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
    remote(a);
    b.addOverride("terraform.cloud", { organization: "o" });
    Aspects.of(c).add({
      visit: (node) => void (node === c && c.addOverride("terraform.cloud", {})),
    });
    app.synth();
    for (const stack of stacks) {
      expect(valuesIn(folderOf(app, stack.node.id))).toBeUndefined();
      expect(annotationsOf(stack, "warn").join()).toContain("the stack's runs are remote");
    }
  });

  test("when the program says so, and who does not take the values is told why", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    await resolve(app, { writeFile: false });
    app.synth();
    expect(annotationsOf(stack, "warn").join()).toContain("since writeFile is false");
  });

  test("the values go to a callback, or to the environment of a command, and nobody is told", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    const got: unknown[] = [];
    await resolve(app, {
      writeFile: false,
      onResolved: (resolved) => void got.push(resolved.environment("a")),
    });
    app.synth();
    expect(got).toEqual([{ TF_VAR_web_token: expect.any(String) }]);
    expect(annotationsOf(stack, "warn")).toEqual([]);
  });

  test("the environment is that of the stack as it is synthesized, not as it was in the pass", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack, token } = stackWithToken(app, "a", service);
    const resolved = await resolve(app, { writeFile: false });
    new TerraformOutput(stack, "print", { value: token.fingerprint });
    for (const child of token.node.findAll())
      if (child instanceof TerraformElement) child.overrideLogicalId("renamed");
    app.synth();
    const environment = resolved.environment();
    const variables = Object.keys(configurationIn(folderOf(app, "a")).variable as object);
    expect(Object.keys(environment).sort()).toEqual(
      variables.map((name) => `TF_VAR_${name}`).sort(),
    );
    expect(JSON.parse(environment.TF_VAR_renamed_details ?? "")).toHaveProperty("fingerprint");
  });

  test("writeFile: true writes it, and says what must then not be uploaded", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    const lines: string[] = [];
    const stream = { isTTY: false, write: (text: string) => lines.push(text) };
    await resolve(app, { writeFile: true, environment: { ...ENVIRONMENT, CI: "1" }, stream });
    app.synth();
    expect(valuesIn(folderOf(app, "a"))).toEqual({ web_token: expect.any(String) });
    expect(lines.join()).toContain("Do not upload");
    expect(annotationsOf(stack, "warn").join()).toContain("Do not upload");
  });

  test("an environment for all stacks is refused where they disagree", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    stackWithToken(app, "b", { authUrl: service.authUrl, user: "u1" });
    const resolved = await resolve(app, { writeFile: false });
    expect(() => resolved.environment()).toThrow("ERR_NAME_TAKEN");
    expect(resolved.environment("a")).not.toEqual(resolved.environment("b"));
    expect(() => resolved.environment("c")).toThrow("ERR_PROP_INVALID");
  });
});

describe("what was written before", () => {
  test("goes when the token does: with others of ours in the stack, with none, and with the stack itself", async () => {
    const service = await startIdentity();
    const outdir = temporaryFolder();
    const appIn = () => new App({ outdir });
    const write = async () => {
      const app = appIn();
      for (const id of ["a", "b", "c"]) stackWithToken(app, id, service);
      await resolve(app);
      app.synth();
      return ["a", "b", "c"].map((id) => valuesIn(folderOf(app, id)) !== undefined);
    };
    expect(await write()).toEqual([true, true, true]);
    const app = appIn();
    const a = new TerraformStack(app, "a");
    new ServiceUserToken(a, "other", { identity: identityIn(a), scope: TokenScope.account() });
    new TerraformStack(app, "b");
    app.synth();
    expect(["a", "b", "c"].map((id) => valuesIn(folderOf(app, id)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(existsSync(join(folderOf(app, "b"), ".gitignore"))).toBe(false);

    expect(await write()).toEqual([true, true, true]);
    const empty = appIn();
    new TerraformStack(empty, "a");
    await resolve(empty);
    expect(["a", "b", "c"].map((id) => valuesIn(folderOf(empty, id)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("is replaced as a whole, and a .gitignore of the user's stays", async () => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    await resolve(app);
    app.synth();
    const folder = folderOf(app, "a");
    writeFileSync(join(folder, ".gitignore"), "mine\n");
    rmSync(join(folder, "cdk.tf.json"));
    app.synth();
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("mine\n");
    expect(annotationsOf(stack, "warn").join()).toContain(
      "does not name iam-tokens.auto.tfvars.json",
    );
    expect(readdirSync(folder).filter((name) => name.startsWith(".iam-tokens-values-"))).toEqual(
      [],
    );
  });
});

describe("a skipped pass", () => {
  test.each([
    ["an option", { skip: true }],
    ["the environment", { environment: { IAM_TOKENS_SKIP_RESOLVE: "1" } }],
  ])("by %s keeps what is there, and asks nobody", async (_name, options) => {
    const service = await startIdentity();
    const app = testApp();
    const { stack } = stackWithToken(app, "a", service);
    await resolve(app);
    app.synth();
    const before = valuesIn(folderOf(app, "a"));
    const more = tokenIn(stack, service, "more");
    expect(more.expiresAt).toBeDefined();
    expect((await resolve(app, options)).toJSON()).toEqual({
      tokens: 0,
      requests: 0,
      skipped: true,
    });
    app.synth();
    expect(valuesIn(folderOf(app, "a"))).toEqual({
      ...before,
      more_token: "not-resolved",
      more_details: {},
    });
    expect(service.requests()).toBe(1);
  });

  test.each(["yes", "2"])("a switch that says %p is refused", async (IAM_TOKENS_SKIP_RESOLVE) => {
    const error = await rejection(resolve(testApp(), { environment: { IAM_TOKENS_SKIP_RESOLVE } }));
    expect(error.message).toContain("IAM_TOKENS_SKIP_RESOLVE");
  });
});

describe("progress", () => {
  const watched = (isTTY: boolean) => {
    const lines: string[] = [];
    return { lines, stream: { isTTY, write: (text: string) => lines.push(text) } };
  };

  test("is one line that is rewritten, with numbers only", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    stackWithToken(app, "b", { authUrl: service.authUrl, user: "u1" });
    const { lines, stream } = watched(true);
    let clock = 0;
    await resolve(app, { stream, now: () => (clock += 600) });
    const [again = "", ...rest] = lines.map((line) => line.split("\u001b[K"));
    expect(again).toEqual(["\r", "Resolving tokens: 0 of 2 (1 s)"]);
    expect(rest.map(([begin]) => begin)).toEqual(["\r", "\r", "\r"]);
    expect(rest.at(-1)?.[1]).toMatch(/^Resolved 2 tokens with 2 requests \(\d s\)\n$/);
  });

  test("leaves an empty line where the pass fails, and is not there where nobody watches", async () => {
    const app = testApp();
    stackWithToken(app, "a", { authUrl: "https://a.test", password: SecretRef.env("NOT_SET") });
    const [terminal, pipe] = [watched(true), watched(false)];
    await rejection(resolve(app, { stream: terminal.stream }));
    await rejection(resolve(app, { stream: pipe.stream }));
    expect(terminal.lines.at(-1)).toBe("\r\u001b[K");
    expect(pipe.lines).toEqual([]);
  });
});

describe("HCL output", () => {
  const before = process.env.SYNTH_HCL_OUTPUT;

  beforeEach(() => {
    process.env.SYNTH_HCL_OUTPUT = "true";
  });

  afterEach(() => {
    if (before === undefined) delete process.env.SYNTH_HCL_OUTPUT;
    else process.env.SYNTH_HCL_OUTPUT = before;
  });

  test("has the variables too: they are no blocks that it would drop", async () => {
    const { authUrl } = await startIdentity();
    const app = new App({ outdir: temporaryFolder(), hclOutput: true });
    const { stack, token } = stackWithToken(app, "a", { authUrl });
    new TerraformOutput(stack, "print", { value: token.fingerprint });
    await resolve(app);
    app.synth();
    const hcl = readFileSync(join(folderOf(app, "a"), "cdk.tf"), "utf8");
    const [web = "", details = ""] = ["web_token", "web_details"].map(
      (name) => hcl.split(`variable "${name}" {`)[1]?.split("\n}")[0] ?? "",
    );
    expect(web).toMatch(/type\s+= string\n/);
    expect(web).toMatch(/ephemeral\s+= true/);
    expect(web).toMatch(/sensitive\s+= true/);
    expect(details).toMatch(/type\s+= object\(/);
    expect(details).toMatch(/default\s+= \{/);
    expect(valuesIn(folderOf(app, "a"))).toHaveProperty("web_details");
  });

  test("has the path of a construct as a text, whatever is in it", async () => {
    const service = await startIdentity();
    const app = new App({ outdir: temporaryFolder(), hclOutput: true });
    tokenIn(new TerraformStack(app, "a"), service, '${b}%{c}\\d"e');
    await resolve(app);
    app.synth();
    expect(readFileSync(join(folderOf(app, "a"), "cdk.tf"), "utf8")).toContain(
      'description = "The token of a/$${b}%%{c}\\\\d\\"e, issued',
    );
  });
});

test("a cloud is looked for in the project's folder here, too", async () => {
  const { authUrl } = await startIdentity();
  const project = temporaryFolder();
  const auth = {
    auth_url: authUrl,
    username: "deployer",
    password: PASSWORD,
    user_domain_name: "123456",
  };
  writeFileSync(join(project, "clouds.yaml"), JSON.stringify({ clouds: { prod: { auth } } }));
  const cwd = jest.spyOn(process, "cwd").mockReturnValue(project);
  try {
    const app = testApp();
    const stack = new TerraformStack(app, "a");
    const identity = IdentityService.fromCloud(stack, "identity", "prod");
    new ServiceUserToken(stack, "web", {
      identity,
      scope: TokenScope.account(),
      resolution: TokenResolution.SYNTH,
    });
    await resolve(app);
    app.synth();
    expect(valuesIn(folderOf(app, "a"))).toEqual({ web_token: expect.stringMatching(/.{20}/) });
  } finally {
    cwd.mockRestore();
  }
});
