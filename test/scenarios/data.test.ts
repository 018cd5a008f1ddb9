import { SecretRef, StaticTokenRef, TokenOutputs, TokenResolution, TokenScope } from "../../lib";
import { scenarios, webToken } from "./world";

const resolution = TokenResolution.data();

// README.md: plan and state; each plan has a new token
scenarios("a token by data", (stage) => {
  test("keeps its value in a saved plan, is a sensitive output, and another one at the next plan", async () => {
    const { identity, requests, succeed, terraform } = stage();
    const folder = await stage().initialized((stack) => {
      const scope = TokenScope.account();
      new TokenOutputs(stack, "ci", { token: webToken(stack, stage(), { scope, resolution }) });
    });
    await succeed(folder, "plan -out=saved");
    expect(requests()).toBe(1);
    await succeed(folder, "apply saved", {});
    expect(requests()).toBe(0);
    const [token] = identity.issuedTokens();
    expect(await stage().outputs(folder)).toMatchObject({
      ci_header_name: { sensitive: false, value: "X-Auth-Token" },
      ci_value: { sensitive: true, value: token },
      ci_expires_at: { value: expect.stringMatching(/Z$/) },
    });
    // 2: there are changes.
    expect((await terraform(folder, "plan -detailed-exitcode")).exitCode).toBe(2);
  });

  test("static, accepted in state, changes nothing from plan to plan", async () => {
    const folder = await stage().initialized((stack) => {
      const source = SecretRef.env("STATIC_TOKEN");
      const props = { source, resolution, allowInState: true };
      const token = new StaticTokenRef(stack, "dns", props);
      new TokenOutputs(stack, "dns-api", { token, prefix: "dns" });
    });
    await stage().succeed(folder, "apply -auto-approve");
    expect(await stage().outputs(folder)).toMatchObject({
      dns_header_name: { value: "X-Token" },
      dns_value: { value: stage().staticToken, sensitive: true },
      dns_expires_at: { value: "" },
    });
    await stage().succeed(folder, "plan -detailed-exitcode");
  });
});
