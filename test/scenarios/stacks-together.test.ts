import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformOutput } from "cdktf";
import { API_CALL, ApiCall } from "../../examples/demo/api-call";
import { SecretRef, ServiceUserToken, StaticTokenRef, TokenScope } from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import { runCdktf } from "../support/cdktf";
import { makeProject } from "../support/project";
import { ProductCall, ProductProvider } from "./product/constructs";
import { installProductProvider } from "./product/install";
import { type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

scenarios("three stacks that share one credential", (stage) => {
  test("each opens the token itself, for providers and for commands, and nothing is carried from one to another", async () => {
    const { api } = stage();
    let account: ServiceUserToken | undefined;
    let dns: StaticTokenRef | undefined;
    const app = stage().synth((root) => {
      for (const id of ["first", "second", "third"]) {
        new StackOf(root, id, (stack) => {
          account ??= new ServiceUserToken(stack, "account", {
            identity: identityIn(stack, stage()),
            scope: TokenScope.account(),
          });
          dns ??= new StaticTokenRef(stack, "dns", { source: SecretRef.env("STATIC_TOKEN") });
          const token = account.reopenIn(stack);
          const byHeaders = new ProductProvider(stack, "api", {
            url: api.url,
            headers: token.headers,
            alias: "a",
          });
          const byStatic = new ProductProvider(stack, "dns-api", {
            url: api.url,
            headers: dns.reopenIn(stack).headers,
            alias: "d",
          });
          new TerraformOutput(stack, "account-status", {
            value: new ProductCall(stack, "call", "/account", byHeaders).status,
          });
          new TerraformOutput(stack, "dns-status", {
            value: new ProductCall(stack, "dns-call", "/dns", byStatic).status,
          });
          new ApiCall(stack, "hook", { url: `${api.url}/account`, token });
        });
      }
    });
    for (const id of ["first", "second", "third"]) {
      const folder = app.stackFolder(id);
      installProductProvider(folder);
      await stage().succeed(folder, ["init"]);
      await stage().succeed(folder, ["apply", "-auto-approve"]);
      const { stdout } = await stage().succeed(folder, ["output", "-json"]);
      const outputs = JSON.parse(stdout) as Record<string, { value: unknown }>;
      expect(Object.values(outputs).map(({ value }) => value)).toEqual([200, 200]);
      const tokens = stage().identity.issuedTokens();
      const canaries = Object.fromEntries(
        [stage().password, stage().staticToken, ...tokens].entries(),
      );
      const { findings } = scanForLeaks({ canaries, folders: [folder] });
      expect(findings).toEqual([]);
    }
  });

  test("through the command line of CDKTF, which also shows the outputs under their own names", async () => {
    const project = makeProject({ app: appOf(stage()) });
    try {
      const run = async (...args: string[]) => {
        const result = await runCdktf(project.folder, args, {
          scratch: stage().scratch,
          env: stage().secrets,
        });
        if (result.exitCode !== 0)
          throw new Error(`cdktf ${args[0]} ended with ${result.exitCode}:\n${result.text}`);
        return result.text;
      };
      await run("deploy", "first", "second", "third", "--auto-approve");
      const shown = await run("output", "second", "--outputs-file", "outputs.json");
      expect(shown).toMatch(/ci_header_name = X-Auth-Token/);
      expect(shown).toMatch(/ci_value = <sensitive>/);
      const outputs = JSON.parse(
        readFileSync(join(project.folder, "outputs.json"), "utf8"),
      ) as Record<string, object>;
      expect(outputs.second).toEqual({
        ci_header_name: "X-Auth-Token",
        ci_expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
      await run("destroy", "first", "second", "third", "--auto-approve");
    } finally {
      project.remove();
    }
  }, 240_000);
});

/**
 * A user's app: a token of the first stack, in three; the second one also hands it to the pipeline.
 */
function appOf({ identity, api }: Scenario): string {
  return `
import { App, DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenOutputs, TokenResolution, TokenScope } from "cdktf-iam-tokens";

const app = new App();
const [first, second, third] = ["first", "second", "third"].map((id) => new TerraformStack(app, id));
const identity = new IdentityService(first, "identity", {
  authUrl: "${identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(first, "account", { identity, scope: TokenScope.account() });
for (const stack of [first, second, third]) {
  new DataResource(stack, "hook", {
    provisioners: [{
      type: "local-exec",
      command: ${JSON.stringify(API_CALL)},
      environment: { ...token.reopenIn(stack).environment("API"), API_URL: "${api.url}/account" },
    }],
  });
}
const shared = new ServiceUserToken(first, "shared", { identity, scope: TokenScope.account(), resolution: TokenResolution.DATA });
new TokenOutputs(second, "ci", { token: shared.reopenIn(second) });
app.synth();
`;
}
