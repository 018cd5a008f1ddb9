import type { TerraformStack } from "cdktf";
import {
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { scenarios } from "./scenario";
import { identityIn, initialized } from "./stacks";

scenarios("a token by data", (stage) => {
  const shared = (stack: TerraformStack) =>
    new ServiceUserToken(stack, "shared", {
      identity: identityIn(stack, stage()),
      scope: TokenScope.account(),
      resolution: TokenResolution.DATA,
    });
  const withOutputs = () =>
    initialized(stage(), (stack) => void new TokenOutputs(stack, "ci", { token: shared(stack) }));

  test("is an output: header name in clear, value sensitive, and a second apply shows that it changes", async () => {
    const folder = await withOutputs();
    const first = await stage().succeed(folder, ["apply", "-auto-approve"]);
    expect(first.text).toMatch(/ci_header_name = "X-Auth-Token"/);
    expect(first.text).toMatch(/ci_value = <sensitive>/);
    const outputs = JSON.parse((await stage().succeed(folder, ["output", "-json"])).stdout);
    expect(stage().identity.isValid(outputs.ci_value.value)).toBe(true);
    expect(outputs.ci_value.sensitive).toBe(true);
    expect(new Date(outputs.ci_expires_at.value).getTime()).toBeGreaterThan(
      Date.now() + 23 * 3_600_000,
    );

    const second = await stage()
      .succeed(folder, ["plan", "-detailed-exitcode"])
      .catch((error: Error) => error);
    expect(String(second)).toMatch(/ended with 2/);
    expect(String(second)).toMatch(/~ ci_value\s+= \(sensitive value\)/);
  });

  test("keeps its value in a saved plan: applying it does not read again", async () => {
    const folder = await withOutputs();
    await stage().succeed(folder, ["plan", "-out=saved"]);
    expect(stage().requests()).toBe(1);
    await stage().succeed(folder, ["apply", "saved"], {});
    expect(stage().requests()).toBe(0);
  });

  test("static, accepted in state, changes nothing from plan to plan", async () => {
    const folder = await initialized(stage(), (stack) => {
      const dns = new StaticTokenRef(stack, "dns", {
        source: SecretRef.env("STATIC_TOKEN"),
        resolution: TokenResolution.DATA,
        acceptStaticTokenInState: true,
      });
      new TokenOutputs(stack, "dns-api", { token: dns, prefix: "dns" });
    });
    const applied = await stage().succeed(folder, ["apply", "-auto-approve"]);
    expect(applied.text).toMatch(/dns_expires_at = ""/);
    expect(applied.text).not.toMatch(/Warning/);
    const outputs = JSON.parse((await stage().succeed(folder, ["output", "-json"])).stdout);
    expect(outputs).toMatchObject({
      dns_header_name: { value: "X-Token" },
      dns_value: { value: stage().staticToken, sensitive: true },
    });
    await stage().succeed(folder, ["plan", "-detailed-exitcode"]);
  });
});
