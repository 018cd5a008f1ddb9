import { ACCOUNT, scenarios } from "./world";

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

  test("prints only the token, or its header line", async () => {
    const plain = await issue("--scope account");
    expect(plain).toMatchObject({ exitCode: 0, stdout: `${token()}\n`, stderr: "" });
    const header = await issue("--project web --header");
    expect(header).toMatchObject({ exitCode: 0, stdout: `X-Auth-Token: ${token()}\n` });
  });
});
