import { TerraformOutput } from "cdktf";
import {
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import { ProductCall, ProductProvider } from "../scenarios/product/constructs";
import { scenarios } from "../scenarios/scenario";
import { identityIn, StackOf } from "../scenarios/stacks";
import { openTofu } from "../support/open-tofu";
import { testIf } from "../support/skips";
import { runTerraform, startTerraform } from "../support/terraform";

const binary = openTofu();
const withTofu = testIf(binary !== null, "OpenTofu has not been built here");

scenarios(
  "OpenTofu",
  (stage) => {
    const tofu = async (folder: string, args: readonly string[], env = stage().secrets) => {
      const result = await runTerraform(folder, args, {
        scratch: stage().scratch,
        env,
        binary: binary ?? "tofu",
      });
      if (result.exitCode !== 0)
        throw new Error(`tofu ${args.join(" ")} ended with ${result.exitCode}:\n${result.text}`);
      return result;
    };

    withTofu(
      "plans, applies a saved plan and destroys a stack with each kind and way, and leaves nothing where it does not belong",
      async () => {
        const app = stage().synth((root) => {
          new StackOf(root, "main", (stack) => {
            const identity = identityIn(stack, stage());
            const web = new ServiceUserToken(stack, "web", {
              identity,
              scope: TokenScope.project("web"),
              revokeOnClose: true,
            });
            const dns = new StaticTokenRef(stack, "dns", { source: SecretRef.env("STATIC_TOKEN") });
            const account = new ServiceUserToken(stack, "account", {
              identity,
              scope: TokenScope.account(),
              resolution: TokenResolution.DATA,
            });
            new TokenOutputs(stack, "ci", { token: account });
            const byToken = new ProductProvider(stack, "web-api", {
              url: stage().api.url,
              headers: web.headers,
              alias: "web",
            });
            const byStatic = new ProductProvider(stack, "dns-api", {
              url: stage().api.url,
              headers: dns.headers,
              alias: "dns",
            });
            for (const call of [
              new ProductCall(stack, "call-web", "/projects/web", byToken),
              new ProductCall(stack, "call-dns", "/dns", byStatic),
            ]) {
              new TerraformOutput(stack, `status-${call.node.id}`, {
                value: call.status,
                staticId: true,
              });
            }
          });
        });
        const folder = app.stackFolder("main");
        const env = { ...stage().secrets, TF_LOG: "TRACE" };
        const texts: Record<string, string> = {};
        for (const args of [
          ["init"],
          ["validate"],
          ["plan", "-out=saved"],
          ["apply", "saved"],
          ["output", "-json"],
        ]) {
          const { stdout, stderr } = await tofu(folder, args, env);
          texts[args.join(" ")] = stdout + stderr;
        }
        const outputs = JSON.parse((await tofu(folder, ["output", "-json"])).stdout);
        expect(outputs).toMatchObject({
          "status-call-web": { value: 200 },
          "status-call-dns": { value: 200 },
          ci_header_name: { value: "X-Auth-Token" },
          ci_value: { sensitive: true },
        });
        const ofState: string = outputs.ci_value.value;
        const ephemeral = stage()
          .identity.issuedTokens()
          .filter((token) => token !== ofState);
        expect(ephemeral.length).toBeGreaterThan(0);
        // Each of them was revoked when OpenTofu was done with it.
        expect(ephemeral.map((token) => stage().identity.isValid(token))).not.toContain(true);
        const canaries = {
          password: stage().password,
          "static token": stage().staticToken,
          ...Object.fromEntries(ephemeral.map((token, index) => [`token ${index}`, token])),
        };
        expect(
          scanForLeaks({ canaries, folders: [folder, stage().scratch.folder], texts }).findings,
        ).toEqual([]);
        await tofu(folder, ["destroy", "-auto-approve"]);
      },
    );

    withTofu("shows one error for a wrong password", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          new ServiceUserToken(stack, "web", {
            identity: identityIn(stack, stage()),
            scope: TokenScope.project("web"),
          });
        });
      });
      const folder = app.stackFolder("main");
      await tofu(folder, ["init"]);
      const running = startTerraform(folder, ["plan", "-no-color"], {
        scratch: stage().scratch,
        env: { SERVICE_USER_PASSWORD: "canary-wrong" },
        binary: binary ?? "tofu",
      });
      const planned = await running.finished;
      expect(planned.exitCode).toBe(1);
      expect(planned.text).toContain("ERR_CREDENTIALS_REJECTED");
      expect(planned.text).not.toContain("canary-wrong");
    });

    withTofu("is handed one server: one request for all aliases of a credential", async () => {
      const app = stage().synth((root) => {
        new StackOf(root, "main", (stack) => {
          for (const id of ["one", "two", "three"]) {
            const identity = identityIn(stack, stage(), {}, id);
            new ServiceUserToken(stack, `web-${id}`, {
              identity,
              scope: TokenScope.project("web"),
            });
          }
        });
      });
      const folder = app.stackFolder("main");
      await tofu(folder, ["init"]);
      await tofu(folder, ["apply", "-auto-approve"]);
      expect(stage().requests()).toBe(process.platform === "linux" ? 1 : 6);
    });
  },
  { consumers: true },
);
