import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { App, DataResource, TerraformOutput, type TerraformStack } from "cdktf";
import {
  IdentityService,
  resolveTokens,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import { type CommandResult, type RunningCommand, startCommand } from "../support/command";
import { markedProcesses } from "../support/processes";
import { packageRoot } from "../support/project";
import { startTerraform, terraformBinary } from "../support/terraform";
import { initializedModule } from "./plain-module";
import { ProductCall, ProductProvider } from "./product/constructs";
import { iamTokens, startIamTokens } from "./run-support";
import { ACCOUNT, REQUESTS_OF_APPLY, type Scenario, scenarios } from "./scenario";
import { identityIn, localExec, mainStack, StackOf } from "./stacks";

const AUDIENCE = "https://cloud.example";
const SECRET = "canary-secret-51abf9c0d2";
/** Keystone's times have seconds. */
const END = new Date(Math.floor(Date.now() / 1000 + 3_600) * 1000).toISOString();
const CONFIG = {
  applicationCredentials: [
    { id: "a1", name: "ci", user: "deployer", project: "web", secret: SECRET },
    { id: "ending", user: "deployer", project: "web", secret: SECRET, expiresAt: END },
  ],
  identityProviders: [
    { id: "github", audience: AUDIENCE, permission: { account: true, projects: ["web", "shop"] } },
  ],
};
const SCOPES = [TokenScope.account(), TokenScope.project("web"), TokenScope.project("shop")];

const words = (text: string) => text.replace(/[│╷╵\s]+/g, " ");

/** The identity service of a job of GitHub Actions. */
const federated = (stack: TerraformStack, { identity }: Scenario, id = "github") =>
  new IdentityService(stack, id, {
    authUrl: identity.authUrl,
    accountId: ACCOUNT,
    federation: {
      identityProvider: "github",
      protocol: "openid",
      token: SecretRef.githubActions(AUDIENCE),
    },
  });

/** The environment of such a job, in which nobody has set a secret. */
const jobOf = ({ identity }: Scenario, options: { readonly expiresIn?: number } = {}) => ({
  ...identity.githubActions({ sub: "repo:example/shop", ...options }),
  GITHUB_ACTIONS: "true",
});

/** What only signs in: it may be nowhere, not even in a state. */
const signIns = ({ identity, password }: Scenario): Record<string, string> =>
  Object.fromEntries([
    ["password", password],
    ["secret", SECRET],
    ...identity.oidcTokens().map((token, index) => [`identity token ${index}`, token]),
    ...unscoped(identity).map((token, index) => [`unscoped token ${index}`, token]),
  ]);

const unscoped = (identity: Scenario["identity"]): readonly string[] =>
  identity.issuedTokens().filter((token) => {
    const description = identity.describeToken(token);
    return description.status !== "unknown" && description.kind === null;
  });

const leaksIn = (
  { scratch }: Scenario,
  folder: string,
  canaries: Record<string, string>,
  texts: Record<string, string>,
) => scanForLeaks({ canaries, folders: [folder, scratch.tmp, scratch.home], texts }).findings;

scenarios(
  "signing in without a password",
  (stage) => {
    test("a job of GitHub Actions with no secret: a hundred references to three scopes are four requests, a token is used, and nothing of it is left", async () => {
      const { api, identity, synth } = stage();
      const app = synth((root) => {
        const home = new StackOf(root, "home", () => {});
        const web = new ServiceUserToken(home, "web", {
          identity: federated(home, stage()),
          scope: TokenScope.project("web"),
        });
        new StackOf(root, "job", (stack) => {
          const github = federated(stack, stage());
          for (let n = 0; n < 99; n += 1)
            new ServiceUserToken(stack, `token-${n}`, {
              identity: github,
              scope: SCOPES[n % 3] ?? TokenScope.account(),
            });
          const headers = web.reopenIn(stack).headers;
          const provider = new ProductProvider(stack, "api", { url: api.url, headers });
          const call = new ProductCall(stack, "call", "/projects/web", provider);
          new TerraformOutput(stack, "status", { value: call.status });
        });
      });
      const folder = app.stackFolder("job");
      const job = jobOf(stage());
      await stage().succeed(folder, ["init"], {});
      stage().requests();
      const applied = await stage().succeed(folder, ["apply", "-auto-approve"], job);
      expect(stage().requests()).toBe(4 * REQUESTS_OF_APPLY);
      expect(identity.oidcTokens()).toHaveLength(REQUESTS_OF_APPLY);
      expect(applied.text).toMatch(/status = 200/);
      const traced = await stage().succeed(folder, ["plan", "-out=saved"], {
        ...job,
        TF_LOG: "TRACE",
      });
      stage().requests();

      const late = await stage().terraform(
        folder,
        ["plan", "-no-color"],
        jobOf(stage(), { expiresIn: -420 }),
      );
      expect(late.exitCode).toBe(1);
      expect(stage().requests()).toBe(1);
      expect(words(late.text)).toMatch(
        /The service answered 401 to the identity token \[ERR_CREDENTIALS_REJECTED\].*aud "https:\/\/cloud\.example", sub "repo:example\/shop", expired 7 min ago/,
      );

      expect(unscoped(identity)).not.toEqual([]);
      const canaries = {
        ...signIns(stage()),
        ...Object.fromEntries(identity.issuedTokens().entries()),
        bearer: job.ACTIONS_ID_TOKEN_REQUEST_TOKEN,
      };
      const texts = { apply: applied.text, plan: traced.text, late: late.text };
      expect(leaksIn(stage(), folder, canaries, texts)).toEqual([]);
    });

    test("plain HCL: each way and each place of a secret, as ephemeral resource, data source and resource; a revocation ends its sign-in", async () => {
      const { identity, scratch, password } = stage();
      const print = (name: string) =>
        `[${[process.execPath, "-p", `process.env.${name}`].map((each) => JSON.stringify(each)).join(", ")}]`;
      writeFileSync(join(scratch.folder, "secret"), `${SECRET}\n`);
      writeFileSync(join(scratch.folder, "jwt"), identity.oidcToken());
      const project = 'scope = "project"\n  project_name = "web"';
      const oidc = 'account_id = "123456"\n  identity_provider = "github"\n  protocol = "openid"';
      const user = 'account_id = "123456"\n  user_name = "deployer"';
      const blocks: Readonly<Record<string, string>> = {
        id: 'application_credential_id = "a1"\n  application_credential_secret_env = "AC"',
        name: `${user}\n  application_credential_name = "ci"\n  application_credential_secret_file = "${join(scratch.folder, "secret")}"`,
        variable: `${oidc}\n  oidc_token_env = "JWT"`,
        file: `${oidc}\n  oidc_token_file = "${join(scratch.folder, "jwt")}"`,
        command: `${oidc}\n  oidc_token_command = ${print("JWT")}`,
        expression: `${oidc}\n  oidc_token = var.jwt`,
        password: `${user}\n  password_command = ${print("SERVICE_USER_PASSWORD")}`,
      };
      const hcl = [
        'variable "jwt" {\n  type = string\n  ephemeral = true\n}',
        ...Object.entries(blocks).flatMap(([alias, parts]) => [
          `provider "iam" {\n  alias = "${alias}"\n  auth_url = "${identity.authUrl}"\n  ${parts}\n}`,
          `ephemeral "iam_token" "${alias}" {\n  provider = iam.${alias}\n  ${project}\n}`,
        ]),
        ...["id", "variable"].flatMap((alias) => [
          `data "iam_token" "${alias}" {\n  provider = iam.${alias}\n  ${project}\n}`,
          `resource "iam_token" "${alias}" {\n  provider = iam.${alias}\n  ${project}\n}`,
        ]),
        'ephemeral "iam_token" "own" {\n  provider = iam.id\n  scope = "project"\n}',
        `ephemeral "iam_token" "closed" {\n  provider = iam.file\n  ${project}\n  revoke_on_close = true\n}`,
      ].join("\n");
      const folder = await initializedModule(stage(), hcl);
      const env = {
        AC: SECRET,
        JWT: identity.oidcToken(),
        TF_VAR_jwt: identity.oidcToken(),
        SERVICE_USER_PASSWORD: password,
      };
      const applied = await stage().succeed(folder, ["apply", "-auto-approve"], env);
      const { journal } = identity;
      expect(journal.filter(({ status }) => ![201, 204].includes(status))).toEqual([]);
      expect(applied.text).toMatch(/2 added/);
      // Each opening of "closed", in plan and apply: its token, and the sign-in for it alone.
      const revoked = identity.issuedTokens().filter((token) => !identity.isValid(token));
      expect(journal.filter(({ method }) => method === "DELETE")).toHaveLength(revoked.length);
      expect(revoked.filter((token) => unscoped(identity).includes(token))).toHaveLength(
        revoked.length / 2,
      );
      expect(revoked.length).toBeGreaterThan(0);
      const state = JSON.parse(readFileSync(join(folder, "terraform.tfstate"), "utf8"));
      const kept = state.resources.map(
        ({ instances }: { instances: { attributes: { token: string } }[] }) =>
          identity.describeToken(String(instances[0]?.attributes.token)),
      );
      expect(kept).toHaveLength(4);
      for (const each of kept) expect(each).toMatchObject({ status: "valid", project: "web" });
      expect(leaksIn(stage(), folder, signIns(stage()), { apply: applied.text })).toEqual([]);
    });

    test("a rotating token of an application credential that ends soon ends with it, and longer demands name that end", async () => {
      const { identity } = stage();
      const token = (name: string, more: string) =>
        `resource "iam_token" "${name}" {\n  scope = "project"\n  ${more}\n}`;
      const folder = await initializedModule(
        stage(),
        `provider "iam" {\n  auth_url = "${identity.authUrl}"\n  application_credential_id = "ending"\n  application_credential_secret_env = "AC"\n}\n${[
          token("short", ""),
          token("threshold", 'rotate_when_remaining = "8h"'),
          token("least", 'min_remaining = "8h"'),
        ].join("\n")}`,
      );
      const { text, exitCode } = await stage().terraform(
        folder,
        ["apply", "-auto-approve", "-no-color"],
        { AC: SECRET },
      );
      expect(exitCode).toBe(1);
      expect(words(text)).toMatch(
        new RegExp(
          `which ends with the application credential at ${END}, lives 59 min .*with rotate_when_remaining it is rotated when less than 8 h are left`,
        ),
      );
      expect(words(text)).toMatch(
        new RegExp(
          `ERR_LIFETIME_TOO_SHORT.*min_remaining is 8 h. The application credential ends at ${END}`,
        ),
      );
      const { resources } = JSON.parse(readFileSync(join(folder, "terraform.tfstate"), "utf8"));
      expect(resources).toHaveLength(1);
      expect(resources[0].instances[0].attributes.expires_at).toBe(END.replace(".000", ""));
    });

    test("clouds.yaml and the environment in one pipeline of iam-tokens run; then issue and doctor", async () => {
      const { identity, scratch, synth } = stage();
      const project = join(scratch.folder, "project");
      mkdirSync(project);
      writeFileSync(join(project, "cdktf.json"), "{}");
      const auth = { auth_url: identity.authUrl, identity_provider: "github", protocol: "openid" };
      const jwt = identity.oidcToken({ sub: "repo:example/shop" });
      const prod = {
        auth_type: "v3oidcaccesstoken",
        auth: { ...auth, access_token: jwt, project_domain_name: ACCOUNT, project_name: "web" },
      };
      writeFileSync(join(project, "clouds.yaml"), JSON.stringify({ clouds: { prod } }));
      jest.spyOn(process, "cwd").mockReturnValue(project);
      const app = synth(
        (root) => {
          new StackOf(root, "main", (stack) => {
            const cloud = IdentityService.fromCloud(stack, "cloud", "prod");
            const own = IdentityService.fromEnvironment(stack, "environment");
            for (const scope of SCOPES)
              new ServiceUserToken(stack, `${scope.kind}-${scope.projectName}`, {
                identity: cloud,
                scope,
              });
            new ServiceUserToken(stack, "own", { identity: own, scope: TokenScope.project("web") });
          });
          new StackOf(root, "github", (stack) => {
            const scope = TokenScope.project("web");
            new ServiceUserToken(stack, "web", { identity: federated(stack, stage()), scope });
          });
        },
        join(project, "cdktf.out"),
      );
      jest.restoreAllMocks();
      const openrc = {
        OS_AUTH_TYPE: "v3applicationcredential",
        OS_AUTH_URL: identity.authUrl,
        OS_APPLICATION_CREDENTIAL_ID: "a1",
        OS_APPLICATION_CREDENTIAL_SECRET: SECRET,
      };
      const texts: Record<string, string> = {};
      const command = async (args: readonly string[], cwd: string, env: Record<string, string>) => {
        const result = await iamTokens(args, { scratch, cwd, env });
        texts[args.join(" ")] = result.text;
        return result;
      };
      const terraform = terraformBinary();
      const ran = await command(
        ["run", "--", "sh", "-c", `${terraform} init && ${terraform} apply -auto-approve`],
        app.stackFolder("main"),
        openrc,
      );
      expect([ran.exitCode, ran.text]).toEqual([0, expect.any(String)]);
      // A sign-in for three scopes, and the application credential.
      expect(stage().requests()).toBe(5);

      const job = jobOf(stage());
      const issued = [
        await command(["issue", "--scope", "project"], project, openrc),
        await command(["issue", "--scope", "account", "--cloud", "prod"], project, {}),
        await command(["issue", "--stack", "github", "--token", "web"], project, job),
      ];
      expect(issued.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(
        issued.map(() => [0, ""]),
      );
      for (const { stdout } of issued) expect(identity.isValid(stdout.trim())).toBe(true);
      for (const name of Object.keys(texts)) if (name.startsWith("issue")) delete texts[name];

      const folder = app.stackFolder("github");
      const environment = { TERRAFORM_BINARY_NAME: terraform, JWT: jwt };
      const found = await command(["doctor", folder], project, { ...environment, ...job });
      expect(words(found.text)).toContain("GitHub Actions");
      const lacking = await command(["doctor", folder], project, environment);
      expect(words(lacking.text)).toMatch(/ACTIONS_ID_TOKEN_REQUEST_URL/);
      expect(lacking.exitCode).toBe(1);
      const inCloud = await command(["doctor", app.stackFolder("main")], project, {
        ...environment,
        ...openrc,
      });
      expect(words(inCloud.text)).toMatch(
        /iss "https:\/\/github\.issuer\.invalid", aud "https:\/\/cloud\.example", sub "repo:example\/shop", expires in/,
      );
      const { "identity token 0": _, ...canaries } = signIns(stage());
      expect(leaksIn(stage(), join(project, "cdktf.out"), canaries, texts)).toEqual([]);
    });

    test("before synthesis in a job: three scopes are four requests, and no file has a token", async () => {
      const { identity, scratch } = stage();
      const outdir = join(scratch.folder, "out");
      const app = new App({ outdir });
      new StackOf(app, "main", (stack) => {
        const github = federated(stack, stage());
        for (const [n, scope] of [...SCOPES, ...SCOPES].entries()) {
          const token = new ServiceUserToken(stack, `token-${n}`, {
            identity: github,
            scope,
            resolution: TokenResolution.SYNTH,
          });
          new DataResource(stack, `made-${n}`, localExec("true", { TOKEN: token.value }));
        }
      });
      const environment = jobOf(stage());
      const resolved = await resolveTokens(app, { environment, stream: { write: () => true } });
      app.synth();
      expect(stage().requests()).toBe(4);
      const values = Object.values(resolved.environment());
      expect(values.filter((each) => identity.isValid(each))).toHaveLength(6);
      expect(new Set(values).size).toBe(3);
      const canaries = { ...signIns(stage()), ...Object.fromEntries(values.entries()) };
      expect(leaksIn(stage(), outdir, canaries, {})).toEqual([]);
    });
  },
  { config: CONFIG, consumers: true },
);

const HANGS = `const { spawn } = require("node:child_process");
spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]).on("spawn", () =>
  require("node:fs").writeFileSync(__filename + ".runs", ""));
setInterval(() => {}, 1000);`;

scenarios("Ctrl-C while a secret's command hangs, with a child", (stage) => {
  /** The folder of a stack with such a command. */
  function stackThatHangs(): string {
    const program = join(stage().scratch.folder, "hangs.cjs");
    writeFileSync(program, HANGS);
    return mainStack(stage(), (stack) => {
      const password = SecretRef.command([process.execPath, program]);
      const serviceUser = { name: "deployer", password };
      const identity = identityIn(stack, stage(), { serviceUser });
      new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
    });
  }

  /** After each, the test looks for processes that are left: those of the command have its mark. */
  async function interrupted(running: RunningCommand): Promise<CommandResult> {
    let isOver = false;
    void running.finished.finally(() => {
      isOver = true;
    });
    const hangs = join(stage().scratch.folder, "hangs.cjs.runs");
    while (!isOver && !existsSync(hangs)) await wait(20);
    if (isOver) throw new Error(running.text());
    expect(markedProcesses(stage().scratch.marker).length).toBeGreaterThanOrEqual(3);
    running.signalGroup("SIGINT");
    const started = performance.now();
    const ended = await running.finished;
    // Not after the command's 30 s.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(stage().requests()).toBe(0);
    return ended;
  }

  test("ends a plan, the command and its child", async () => {
    const folder = stackThatHangs();
    await stage().succeed(folder, ["init"], {});
    const running = startTerraform(folder, ["plan", "-no-color"], { scratch: stage().scratch });
    const { exitCode } = await interrupted(running);
    expect(exitCode).toBe(1);
  });

  test("ends iam-tokens issue", async () => {
    const folder = stackThatHangs();
    const { scratch } = stage();
    const running = startIamTokens(["issue", "--token", "web"], { scratch, cwd: folder });
    const { exitCode, endedBy } = await interrupted(running);
    expect([exitCode, endedBy]).toEqual([null, "SIGINT"]);
  });

  test("ends a program that resolves tokens before synthesis", async () => {
    const { scratch, identity } = stage();
    const program = join(scratch.folder, "app.cjs");
    writeFileSync(join(scratch.folder, "hangs.cjs"), HANGS);
    const [framework, own] = ["node_modules/cdktf", "dist"].map((path) =>
      JSON.stringify(join(packageRoot, path)),
    );
    writeFileSync(
      program,
      `const { App, TerraformStack } = require(${framework});
const { IdentityService, resolveTokens, SecretRef, ServiceUserToken, TokenResolution, TokenScope } = require(${own});
const app = new App();
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl: "${identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.command([process.execPath, "./hangs.cjs"]) },
});
new ServiceUserToken(stack, "web", {
  identity, scope: TokenScope.project("web"), resolution: TokenResolution.SYNTH });
resolveTokens(app).then(() => app.synth());
`,
    );
    const running = startCommand(process.execPath, [program], {
      cwd: scratch.folder,
      env: scratch.env,
    });
    const { endedBy } = await interrupted(running);
    expect(endedBy).toBe("SIGINT");
  });
});
