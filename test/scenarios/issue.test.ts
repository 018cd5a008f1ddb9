import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SecretRef, TokenResolution, TokenScope } from "../../lib";
import { fingerprintOf, Secret } from "../../lib/tokens";
import { startCommand } from "../support/command";
import { testIf } from "../support/skips";
import { ACCOUNT, IAM_TOKENS, identityIn, scenarios, webToken } from "./world";

const hasScript = spawnSync("script", ["--version"]).status === 0;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);

scenarios("iam-tokens issue", (stage) => {
  const openstack = () => ({
    OS_AUTH_URL: stage().identity.authUrl,
    OS_USER_DOMAIN_NAME: ACCOUNT,
    OS_USERNAME: "deployer",
    OS_PASSWORD: stage().password,
  });
  const issue = (args: string, env: Readonly<Record<string, string>> = openstack(), cwd?: string) =>
    stage().cli(`issue ${args}`, { env, ...(cwd === undefined ? {} : { cwd }) });
  const token = () => stage().identity.issuedTokens().at(-1) ?? "none";

  test("prints only the token, its header, its details, or lines that a shell reads", async () => {
    const plain = await issue("--scope account");
    expect(plain).toMatchObject({ exitCode: 0, stdout: `${token()}\n`, stderr: "" });
    expect((await issue("--project web --header")).stdout).toBe(`X-Auth-Token: ${token()}\n`);
    const { stdout: json } = await issue("--project web --json");
    expect(JSON.parse(json)).toEqual({
      token: token(),
      header_name: "X-Auth-Token",
      headers: { "X-Auth-Token": token() },
      kind: "iam_token_project_scoped",
      issued_at: TIME,
      expires_at: TIME,
      fingerprint: fingerprintOf(Secret.of(token())),
      auth_url: `${stage().identity.authUrl}/identity/v3`,
      project_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      user_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const { stdout: lines } = await issue("--project web --env API");
    const script = `${lines}printf '%s|%s|%s' "$API" "$API_HEADER" "$API_EXPIRES_AT"`;
    const [value, header, expires] = spawnSync("sh", ["-c", script], {
      encoding: "utf8",
    }).stdout.split("|");
    expect([value, header, expires]).toEqual([token(), "X-Auth-Token", TIME]);
  });

  test("issues a declared token: its identity and scope, with files of its stack's folder, and only from an allowed address", async () => {
    const { scratch, password, identity } = stage();
    const project = join(scratch.folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "cdktf.json"), "{}");
    writeFileSync(join(project, "password"), password, { mode: 0o600 });
    const build: Parameters<ReturnType<typeof stage>["stack"]>[0] = (stack) => {
      const serviceUser = {
        name: "deployer",
        password: SecretRef.file(join(project, "password")),
      };
      const byFile = identityIn(stack, stage(), { serviceUser }, "file");
      webToken(stack, stage(), { id: "one", identity: byFile, minRemaining: "8h" });
      const resolution = TokenResolution.ROTATING;
      webToken(stack, stage(), { id: "two", scope: TokenScope.account(), resolution });
    };
    stage().stack(build, "app", join(project, "cdktf.out"));
    const declared = (args: string, env = {}) => issue(args, env, project);
    // Its own source alone, whatever the environment has.
    const others = { ...openstack(), OS_AUTH_URL: "https://other.example" };
    const one = await declared("--stack app --token one --json", others);
    expect(JSON.parse(one.stdout)).toMatchObject({ kind: "iam_token_project_scoped" });
    expect(identity.journal.at(-1)).toMatchObject({ scope: { project: "web" } });
    const two = await declared("--token app/two --header", { SERVICE_USER_PASSWORD: password });
    expect(two.stdout).toBe(`X-Auth-Token: ${token()}\n`);
    expect((await declared("--token two")).exitCode).toBe(1);
    stage().requests();
    const allowed = { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" };
    expect((await declared("--token one", allowed)).exitCode).toBe(1);
    expect(stage().requests()).toBe(0);
  });

  test("prints no secret if the service refuses", async () => {
    const wrong = { ...openstack(), OS_PASSWORD: "canary-wrong" };
    const { exitCode, stdout, stderr } = await issue("--scope account", wrong);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("[ERR_CREDENTIALS_REJECTED]");
    expect(stderr).not.toContain("canary");
    expect(stage().requests()).toBe(1);
  });

  testIf(hasScript, "there is no script command here to make a terminal with")(
    "a token is not printed to a terminal unasked",
    async () => {
      const { scratch } = stage();
      const command = `'${process.execPath}' '${IAM_TOKENS}' issue --scope account`;
      const { exitCode } = await startCommand("script", ["-qfec", command, "/dev/null"], {
        cwd: scratch.folder,
        env: { ...scratch.env, ...openstack() },
      }).finished;
      expect(exitCode).toBe(2);
      expect(stage().requests()).toBe(0);
    },
  );
});
