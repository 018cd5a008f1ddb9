import { spawnSync } from "node:child_process";
import { ACCOUNT, scenarios } from "./world";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);

// README.md: one token, with the credentials of the OS_… variables
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
});
