import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { App, DataResource, LocalBackend, TerraformOutput } from "cdktf";
import {
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { resolveTokensIn } from "../../lib/resolution/resolve-tokens";
import { scanForLeaks } from "../../lib/testing";
import { underOpenTofu } from "../support/open-tofu";
import { ProductCall, ProductProvider } from "./product/constructs";
import { type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

const FILE = "iam-tokens.auto.tfvars.json";

/** Builds each scenario on a stack, from tokens that are resolved before synthesis. */
type Build = (stack: StackOf, web: ServiceUserToken, dns: StaticTokenRef) => void;

/**
 * Resolves and synthesizes an app with one stack. The secrets are in no environment but that of the
 * pass.
 */
async function synthesize(
  stage: Scenario,
  outdir: string,
  build: Build,
  allowInState = false,
): Promise<string> {
  const app = new App({ outdir });
  new StackOf(app, "main", (stack) => {
    new LocalBackend(stack, { path: "terraform.tfstate" });
    const identity = identityIn(stack, stage);
    const way = { resolution: TokenResolution.SYNTH, ...(allowInState ? { allowInState } : {}) };
    const web = new ServiceUserToken(stack, "web", {
      identity,
      scope: TokenScope.project("web"),
      ...way,
    });
    const source = SecretRef.env("STATIC_TOKEN");
    const dns = new StaticTokenRef(stack, "dns", {
      source,
      ...way,
      ...(allowInState ? { acceptStaticTokenInState: true } : {}),
    });
    build(stack, web, dns);
  });
  await resolveTokensIn(app, {}, { environment: stage.secrets, stream: { write: () => true } });
  app.synth();
  return join(outdir, "stacks", "main");
}

scenarios(
  "a token that is resolved before synthesis",
  (stage) => {
    /** Runs Terraform without any secret in its environment, at TRACE, and keeps what it prints. */
    async function run(
      folder: string,
      args: readonly string[],
      texts: Record<string, string>,
    ): Promise<string> {
      const { stdout, stderr } = await stage().succeed(folder, args, { TF_LOG: "TRACE" });
      texts[`stdout of ${args.join(" ")}`] = stdout;
      texts[`stderr of ${args.join(" ")}`] = stderr;
      return stdout;
    }

    function whereIs(folder: string, texts: Record<string, string>): string[] {
      const [token = ""] = stage().identity.issuedTokens();
      const canaries = { token, "static token": stage().staticToken, password: stage().password };
      const { findings } = scanForLeaks({
        canaries,
        folders: [folder, stage().scratch.folder],
        texts,
      });
      return [
        ...new Set(
          findings.map(
            ({ canary, where }) =>
              `${canary}: ${where.replace(`${folder}/`, "").replace(/ .*|!.*/, "")}`,
          ),
        ),
      ].sort();
    }

    test("authenticates a provider and a provisioner; it is in exactly one file, readable only for its owner, and in none after its removal", async () => {
      const { api, scratch } = stage();
      const outdir = join(scratch.folder, "out");
      const folder = await synthesize(stage(), outdir, (stack, web, dns) => {
        const provider = new ProductProvider(stack, "api", { url: api.url, headers: web.headers });
        const call = new ProductCall(stack, "call", "/projects/web", provider);
        new TerraformOutput(stack, "status", { value: call.status });
        new TerraformOutput(stack, "print", { value: web.fingerprint });
        new DataResource(stack, "made", {
          dependsOn: [web, dns],
          provisioners: [
            { type: "local-exec", command: 'test -n "$DNS"', environment: { DNS: dns.value } },
          ],
        });
      });
      const texts: Record<string, string> = {};
      for (const args of [
        ["init"],
        ["validate"],
        ["plan", "-out=saved"],
        ["show", "-json", "saved"],
        ["apply", "saved"],
        ["show", "-json"],
      ]) {
        await run(folder, args, texts);
      }
      expect(JSON.parse(await run(folder, ["output", "-json"], texts))).toMatchObject({
        status: { value: 200 },
        print: { value: expect.stringMatching(/^[0-9a-f]{12}$/) },
      });
      expect(stage().identity.issuedTokens()).toHaveLength(1);
      expect(whereIs(outdir, texts)).toEqual([
        `static token: stacks/main/${FILE}`,
        `token: stacks/main/${FILE}`,
      ]);
      expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, "cdk.tf.json"), "utf8")).not.toContain(
        "cdktf-iam-tokens/iam",
      );

      await run(folder, ["destroy", "-auto-approve"], texts);
      const app = new App({ outdir });
      new StackOf(app, "main", () => {});
      await resolveTokensIn(app, {}, { environment: {}, stream: { write: () => true } });
      app.synth();
      expect(whereIs(outdir, texts)).toEqual([]);
    });

    test("with allowInState it is an output and an argument; it is in the file, in saved plans and in the state, and nowhere else", async () => {
      const outdir = join(stage().scratch.folder, "out");
      const build: Build = (stack, token, dns) => {
        new TokenOutputs(stack, "ci", { token });
        new DataResource(stack, "kept", { input: { dns: dns.value } });
      };
      const folder = await synthesize(stage(), outdir, build, true);
      const texts: Record<string, string> = {};
      for (const args of [["init"], ["plan", "-out=saved"], ["apply", "saved"]])
        await run(folder, args, texts);
      expect(whereIs(outdir, texts)).toEqual(
        ["static token", "token"].flatMap((canary) =>
          [FILE, "saved", "terraform.tfstate"].map((name) => `${canary}: stacks/main/${name}`),
        ),
      );
      const outputs = JSON.parse((await stage().succeed(folder, ["output", "-json"], {})).stdout);
      expect(outputs).toMatchObject({
        ci_header_name: { value: "X-Auth-Token" },
        ci_value: { sensitive: true, value: stage().identity.issuedTokens()[0] },
        ci_expires_at: { value: expect.stringMatching(/Z$/) },
      });
    });

    test("a saved plan of the ephemeral form takes the token of a later pass; one of the other form keeps its own, which OpenTofu refuses", async () => {
      const outdir = join(stage().scratch.folder, "out");
      const build: Build = (stack, web) => {
        new DataResource(stack, "made", {
          provisioners: [
            {
              type: "local-exec",
              command: 'test "$(printf %s "$WEB" | wc -c)" -gt 20',
              environment: { WEB: web.value },
            },
          ],
        });
      };
      for (const allowInState of [false, true]) {
        const own = join(outdir, String(allowInState));
        mkdirSync(own, { recursive: true });
        const folder = await synthesize(stage(), own, build, allowInState);
        await stage().succeed(folder, ["init"], {});
        await stage().succeed(folder, ["plan", "-out=saved"], {});
        await synthesize(stage(), own, build, allowInState);
        const applied = await stage().terraform(folder, ["apply", "saved"], {});
        const refused = allowInState && underOpenTofu();
        expect(applied.text).toMatch(refused ? /variable "web_token" is different/ : "1 added");
        expect(applied.exitCode).toBe(refused ? 1 : 0);
      }
    });
  },
  { consumers: true },
);
