import { TerraformOutput } from "cdktf";
import { ApiCall } from "../../examples/demo/api-call";
import { SecretRef, ServiceUserToken, StaticTokenRef, TokenScope } from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import { ProductCall, ProductProvider } from "./product/constructs";
import { scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

scenarios(
  "three stacks that share one credential",
  (stage) => {
    test("each opens the token itself, for providers and for commands, and no value passes from one to another", async () => {
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
  },
  { consumers: true },
);
