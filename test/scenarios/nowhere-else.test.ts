import { createServer } from "node:http";
import { DataResource } from "cdktf";
import { SecretRef, StaticTokenRef, TokenOutputs, TokenResolution } from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import { ProductCall, ProductProvider } from "./product/constructs";
import { REQUESTS_OF_APPLY, type Scenario, scenarios } from "./scenario";
import { identityIn, initialized, localExec, mainStack, webToken } from "./stacks";

const everyUse = (stage: Scenario): string =>
  mainStack(stage, (stack) => {
    const web = webToken(stack, stage);
    const dns = new StaticTokenRef(stack, "dns", { source: SecretRef.env("STATIC_TOKEN") });
    const provider = new ProductProvider(stack, "api", {
      url: stage.api.url,
      headers: web.headers,
    });
    new ProductCall(stack, "call", "/projects/web", provider);
    const environment = { WEB: web.value, DNS: dns.value };
    new DataResource(stack, "made", localExec('test -n "$WEB$DNS"', environment));
  });

scenarios(
  "an ephemeral token and its password",
  (stage) => {
    test("are nowhere after init, plan, apply and destroy with TF_LOG=TRACE", async () => {
      const folder = everyUse(stage());
      const env = { ...stage().secrets, TF_LOG: "TRACE" };
      const texts: Record<string, string> = {};
      for (const args of [
        ["init"],
        ["validate"],
        ["plan", "-out=saved"],
        ["show", "-json", "saved"],
        ["apply", "saved"],
        ["show", "-json"],
        ["destroy", "-auto-approve"],
      ]) {
        const { stdout, stderr } = await stage().succeed(folder, args, env);
        texts[`stdout of ${args.join(" ")}`] = stdout;
        texts[`stderr of ${args.join(" ")}`] = stderr;
      }
      const tokens = stage().identity.issuedTokens();
      expect(tokens.length).toBeGreaterThan(2);
      // The trace exists, and includes the provider's.
      expect(texts["stderr of apply saved"]).toMatch(
        /provider\.iam|provider\.terraform-provider-iam/,
      );
      const canaries = {
        password: stage().password,
        "static token": stage().staticToken,
        ...Object.fromEntries(tokens.map((token, index) => [`token ${index}`, token])),
      };
      const report = scanForLeaks({ canaries, folders: [folder, stage().scratch.folder], texts });
      expect(report.findings).toEqual([]);
    });

    test("share nothing with a data token of the same credential and scope: only that one is in the state", async () => {
      const folder = await initialized(stage(), (stack) => {
        const identity = identityIn(stack, stage());
        webToken(stack, stage(), { identity });
        const resolution = TokenResolution.DATA;
        const shared = webToken(stack, stage(), { id: "shared", identity, resolution });
        new TokenOutputs(stack, "ci", { token: shared });
      });
      await stage().succeed(folder, ["apply", "-auto-approve"]);
      const tokens = stage().identity.issuedTokens();
      // Plan: one of each; apply: the ephemeral one again.
      expect(tokens).toHaveLength(1 + REQUESTS_OF_APPLY);
      const { findings } = scanForLeaks({
        canaries: Object.fromEntries(tokens.entries()),
        folders: [folder],
      });
      expect(new Set(findings.map(({ canary }) => canary)).size).toBe(1);
      expect(findings.every(({ where }) => where.endsWith("terraform.tfstate"))).toBe(true);
    });

    test.each([400, 500])(
      "are nowhere when the service answers %d and echoes the request",
      async (status) => {
        const echo = createServer((request, response) => {
          const chunks: Buffer[] = [];
          request.on("data", (chunk: Buffer) => chunks.push(chunk));
          request.on("end", () => {
            response.writeHead(status, {
              "Content-Type": "application/json",
              "x-openstack-request-id": "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01",
              "X-Echo": JSON.stringify(request.headers),
            });
            response.end(Buffer.concat(chunks));
          });
        });
        await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
        const { port } = echo.address() as { port: number };
        try {
          const folder = await initialized(stage(), (stack) => {
            const identity = identityIn(stack, stage(), { authUrl: `http://127.0.0.1:${port}` });
            webToken(stack, stage(), { identity });
          });
          const planned = await stage().terraform(folder, ["plan"], {
            ...stage().secrets,
            TF_LOG: "TRACE",
          });
          expect(planned.exitCode).toBe(1);
          expect(planned.text).toContain(
            status === 400 ? "ERR_REQUEST_REFUSED" : "ERR_SERVICE_FAILED",
          );
          expect(planned.text).toContain("req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01");
          const report = scanForLeaks({
            canaries: { password: stage().password },
            folders: [folder, stage().scratch.folder],
            texts: { stdout: planned.stdout, stderr: planned.stderr },
          });
          expect(report.findings).toEqual([]);
        } finally {
          echo.closeAllConnections();
          await new Promise((resolve) => echo.close(resolve));
        }
      },
    );
  },
  { consumers: true },
);
