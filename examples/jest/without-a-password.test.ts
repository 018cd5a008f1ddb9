import { EmbeddedIdentityService } from "cdktf-iam-tokens/testing";

test("a job of GitHub Actions signs in by an identity token", async () => {
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [],
    identityProviders: [{ id: "ci", audience: "my-cloud", permission: { projects: ["web"] } }],
  });
  const signIn = async (token: string) => {
    const path = "OS-FEDERATION/identity_providers/ci/protocols/openid/auth";
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${identity.keystoneUrl}/${path}`, { method: "POST", headers })).status;
  };
  try {
    const job = identity.githubActions({ sub: "repo:example/shop:ref:refs/heads/main" });
    const answer = await fetch(`${job.ACTIONS_ID_TOKEN_REQUEST_URL}&audience=my-cloud`, {
      headers: { Authorization: `Bearer ${job.ACTIONS_ID_TOKEN_REQUEST_TOKEN}` },
    });
    const { value } = (await answer.json()) as { value: string };
    expect(await signIn(value)).toBe(201);
    expect(await signIn(identity.oidcToken({ aud: "another-cloud" }))).toBe(401);
    expect(await signIn(identity.oidcToken({ expiresIn: -60 }))).toBe(401);
  } finally {
    await identity.stop();
  }
});
