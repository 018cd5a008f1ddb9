import { DataResource } from "cdktf";
import { SecretRef, StaticTokenRef, TokenResolution, TokenScope } from "../../lib";
import { identityIn, localExec, scenarios, webToken } from "./world";

const APPLY = "apply -auto-approve";

// docs/using-tokens.md: is revoked when Terraform no longer needs it
scenarios("an ephemeral token", (stage) => {
  const validity = () =>
    stage()
      .identity.issuedTokens()
      .map((token) => stage().identity.isValid(token));

  test("is opened anew when a saved plan is applied, and only then if its project is known only then; validate needs no secret", async () => {
    const { requests, succeed } = stage();
    const folder = await stage().initialized((stack) => {
      const identity = identityIn(stack, stage());
      const web = webToken(stack, stage(), { identity });
      const made = new DataResource(stack, "made", {
        input: { project: "shop" },
        dependsOn: [web],
      });
      const scope = TokenScope.project(`\${${made.fqn}.output.project}`);
      const late = webToken(stack, stage(), { id: "late", identity, scope });
      new DataResource(stack, "used", localExec('test -n "$TOKEN"', { TOKEN: late.value }));
      new StaticTokenRef(stack, "dns", { source: SecretRef.env("STATIC_TOKEN") });
    });
    await succeed(folder, "validate", {});
    expect(requests()).toBe(0);
    await succeed(folder, "plan -out=saved");
    expect(requests()).toBe(1);
    await succeed(folder, "apply saved");
    expect(requests()).toBe(2);
  });

  test("with revokeOnClose is not shared, and revoked when Terraform is done", async () => {
    const folder = await stage().initialized((stack) => {
      const identity = identityIn(stack, stage());
      webToken(stack, stage(), {
        id: "own",
        identity,
        resolution: TokenResolution.ephemeral({ revokeOnClose: true }),
      });
      webToken(stack, stage(), { id: "shared", identity });
    });
    await stage().succeed(folder, "plan");
    expect(stage().requests()).toBe(2);
    expect(validity().sort()).toEqual([false, true]);
  });

  test("with revokeOnClose is revoked even if its consumer fails, when Terraform never closes it", async () => {
    const folder = await stage().initialized((stack) => {
      const { value } = webToken(stack, stage(), {
        resolution: TokenResolution.ephemeral({ revokeOnClose: true }),
      });
      new DataResource(stack, "call", localExec('test -z "$TOKEN"', { TOKEN: value }));
    });
    expect((await stage().terraform(folder, APPLY)).exitCode).toBe(1);
    expect(validity()).toEqual([false, false]);
  });
});

// docs/using-tokens.md: If a token has expired, the provider warns, with both times
scenarios(
  "an ephemeral token that lives three seconds",
  (stage) => {
    test("is reported when an apply outlives it", async () => {
      const folder = await stage().initialized((stack) => {
        const { value } = webToken(stack, stage());
        new DataResource(stack, "call", localExec('sleep 4; test -n "$TOKEN"', { TOKEN: value }));
      });
      const { text } = await stage().succeed(folder, APPLY);
      expect(text).toContain("A token has expired, and Terraform is still running");
    });
  },
  { config: { tokenLifetimeSeconds: 3 } },
);
