import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SecretRef, ServiceUserToken, TokenResolution, TokenScope } from "../../lib";
import { fingerprintOf, Secret } from "../../lib/tokens";
import { startCommand } from "../support/command";
import { testIf } from "../support/skips";
import { IAM_TOKENS, iamTokens } from "./run-support";
import { ACCOUNT, type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

const hasScript = spawnSync("script", ["--version"]).status === 0;

scenarios("iam-tokens issue", (stage) => {
  const openstack = ({ identity, password }: Scenario) => ({
    OS_AUTH_URL: identity.authUrl,
    OS_USER_DOMAIN_NAME: ACCOUNT,
    OS_USERNAME: "deployer",
    OS_PASSWORD: password,
  });
  const issue = (
    args: readonly string[],
    env: Readonly<Record<string, string>> = openstack(stage()),
  ) => iamTokens(["issue", ...args], { scratch: stage().scratch, env });
  const token = () => stage().identity.issuedTokens().at(-1) ?? "none";

  test("prints only the token, its header, or all its details", async () => {
    expect(await issue(["--scope", "account"])).toMatchObject({
      exitCode: 0,
      stdout: `${token()}\n`,
      stderr: "",
    });
    const plain = await issue(["--project", "web"]);
    expect(plain.stdout).toBe(`${token()}\n`);
    const header = await issue(["--project", "web", "--header"]);
    expect(header.stdout).toBe(`X-Auth-Token: ${token()}\n`);
    const json = await issue(["--project", "web", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      token: token(),
      header_name: "X-Auth-Token",
      headers: { "X-Auth-Token": token() },
      kind: "iam_token_project_scoped",
      issued_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/),
      fingerprint: fingerprintOf(Secret.of(token())),
      auth_url: `${stage().identity.authUrl}/identity/v3`,
    });
    expect(stage().identity.journal.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });

  test("a shell reads its lines as intended", async () => {
    const { stdout } = await issue(["--project", "web", "--env", "API"]);
    const shell = spawnSync(
      "sh",
      ["-c", `${stdout}printf '%s|%s|%s' "$API" "$API_HEADER" "$API_EXPIRES_AT"`],
      {
        encoding: "utf8",
      },
    );
    expect(shell.stdout).toMatch(/^.+\|X-Auth-Token\|\d{4}-.*Z$/);
    expect(shell.stdout.split("|")[0]).toBe(token());
    expect((await issue(["--project", "web", "--env"])).stdout).toMatch(/^export IAM_TOKEN='/);
  });

  test("issues a declared token: its identity, scope and lifetime, and files of its stack's folder", async () => {
    const { scratch, password, identity } = stage();
    const project = join(scratch.folder, "project");
    const output = join(project, "cdktf.out");
    mkdirSync(project);
    writeFileSync(join(project, "cdktf.json"), "{}");
    writeFileSync(join(project, "password"), `${password}\n`, { mode: 0o600 });
    stage().synth((root) => {
      new StackOf(root, "app", (stack) => {
        const byFile = identityIn(
          stack,
          stage(),
          {
            serviceUser: { name: "deployer", password: SecretRef.file(join(project, "password")) },
          },
          "file",
        );
        const byVariable = identityIn(stack, stage(), {}, "variable");
        const scope = TokenScope.project("web");
        new ServiceUserToken(stack, "one", { identity: byFile, scope, minRemaining: "8h" });
        const resolution = TokenResolution.ROTATING;
        new ServiceUserToken(stack, "two", {
          identity: byVariable,
          scope: TokenScope.account(),
          resolution,
        });
      });
    }, output);
    const declared = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      iamTokens(["issue", ...args], { scratch, cwd: project, env });
    const one = await declared(["--stack", "app", "--token", "one", "--json"]);
    expect(JSON.parse(one.stdout)).toMatchObject({ kind: "iam_token_project_scoped" });
    expect(identity.journal.at(-1)).toMatchObject({ scope: { project: "web" } });
    const secret = { SERVICE_USER_PASSWORD: password };
    const header = await declared(["--token", "app/two", "--header"], secret);
    expect(header.stdout).toBe(`X-Auth-Token: ${token()}\n`);
    expect((await declared(["--token", "two"])).stderr).toMatch(
      /SERVICE_USER_PASSWORD .* is not set.*\[ERR_SECRET_MISSING\]/s,
    );
    // One source, and only allowed addresses, as for the provider.
    const others = { ...openstack(stage()), OS_AUTH_URL: "https://other.example" };
    expect((await declared(["--token", "one"], others)).exitCode).toBe(0);
    const allowed = { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" };
    expect((await declared(["--token", "one"], allowed)).stderr).toMatch(
      /\[ERR_ADDRESS_NOT_ALLOWED\]/,
    );
  });

  test("fails without printing a secret if the service refuses, or credentials are missing", async () => {
    const wrong = await issue(["--scope", "account"], {
      ...openstack(stage()),
      OS_PASSWORD: "canary-wrong",
    });
    expect(wrong).toMatchObject({ exitCode: 1, stdout: "" });
    expect(wrong.stderr).toMatch(/ answered 401 [\s\S]*\[ERR_CREDENTIALS_REJECTED\]\n$/);
    expect(wrong.stderr).not.toContain("canary");
    expect((await issue(["--scope", "account"], {})).stderr).toMatch(
      /--cloud\. \[ERR_CREDENTIALS_MISSING\]/,
    );
    const other = {
      ...openstack(stage()),
      IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test",
    };
    expect((await issue(["--scope", "account"], other)).stderr).toMatch(
      /\[ERR_ADDRESS_NOT_ALLOWED\]/,
    );
    expect(stage().identity.journal).toHaveLength(1);
  });

  testIf(hasScript, "there is no script command here to make a terminal with")(
    "a token is not printed to a terminal unasked",
    async () => {
      const { scratch } = stage();
      const command = `'${process.execPath}' '${IAM_TOKENS}' issue --scope account`;
      const { text } = await startCommand("script", ["-qfec", command, "/dev/null"], {
        cwd: scratch.folder,
        env: { ...scratch.env, ...openstack(stage()) },
      }).finished;
      expect(text).toMatch(/would be printed to the terminal.*--show\. \[ERR_USAGE\]/);
      expect(stage().requests()).toBe(0);
    },
  );
});
