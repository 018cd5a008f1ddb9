import { spawnSync } from "node:child_process";
import { startCommand } from "../support/command";
import { testIf } from "../support/skips";
import { ACCOUNT, IAM_TOKENS, scenarios } from "./world";

const hasScript = spawnSync("script", ["--version"]).status === 0;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);

// SECURITY.md: prints to a terminal only with `--show`
scenarios("iam-tokens issue", (stage) => {
  const openstack = () => ({
    OS_AUTH_URL: stage().identity.authUrl,
    OS_USER_DOMAIN_NAME: ACCOUNT,
    OS_USERNAME: "deployer",
    OS_PASSWORD: stage().password,
  });
  const issue = (args: string, env: Readonly<Record<string, string>> = openstack()) =>
    stage().cli(`issue ${args}`, { env });
  const token = () => stage().identity.issuedTokens().at(-1) ?? "none";

  test("prints only the token, or lines that a shell reads", async () => {
    const plain = await issue("--scope account");
    expect(plain).toMatchObject({ exitCode: 0, stdout: `${token()}\n`, stderr: "" });
    const { stdout: lines } = await issue("--project web --env API");
    const script = `${lines}printf '%s|%s|%s' "$API" "$API_HEADER" "$API_EXPIRES_AT"`;
    const [value, header, expires] = spawnSync("sh", ["-c", script], {
      encoding: "utf8",
    }).stdout.split("|");
    expect([value, header, expires]).toEqual([token(), "X-Auth-Token", TIME]);
  });

  test("asks only an allowed address", async () => {
    const allowed = { ...openstack(), IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" };
    expect((await issue("--scope account", allowed)).exitCode).toBe(1);
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
