import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { App, DataResource, LocalBackend, TerraformOutput } from "cdktf";
import {
  SecretRef,
  type ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
} from "../../lib";
import { underOpenTofu } from "../support/open-tofu";
import { callProduct } from "./product";
import { localExec, resolve, type Scenario, StackOf, scenarios, webToken } from "./world";

const FILE = "iam-tokens.auto.tfvars.json";
const COMMANDS = ["init", "validate", "plan -out=saved", "show -json saved", "apply saved"];

/** Builds each scenario on a stack, from tokens that are resolved before synthesis. */
type BuildWith = (stack: StackOf, web: ServiceUserToken, dns: StaticTokenRef) => void;

/** Resolves and synthesizes an app. The secrets are in no environment but that of the pass. */
async function synthesize(stage: Scenario, build: BuildWith | undefined, allowInState = false) {
  const outdir = join(stage.scratch.folder, `out-${allowInState}`);
  mkdirSync(outdir, { recursive: true });
  const app = new App({ outdir });
  new StackOf(app, "main", (stack) => {
    new LocalBackend(stack, { path: "terraform.tfstate" });
    if (build === undefined) return;
    const way = { resolution: TokenResolution.synth({ allowInState }) };
    const source = SecretRef.env("STATIC_TOKEN");
    const dns = new StaticTokenRef(stack, "dns", { source, ...way });
    build(stack, webToken(stack, stage, way), dns);
  });
  await resolve(app, stage);
  app.synth();
  return join(outdir, "stacks", "main");
}

// docs/synth.md: An apply of a saved plan takes the file's present token
scenarios(
  "a token that is resolved before synthesis",
  (stage) => {
    test("authenticates a provider and a provisioner; it is in exactly one file, and in none after its removal", async () => {
      const { api, calls, leaks, outputs, requests, trace } = stage();
      const folder = await synthesize(stage(), (stack, web, dns) => {
        callProduct(stack, "/web", { ...api, headers: web.headers });
        new TerraformOutput(stack, "print", { value: web.fingerprint });
        new DataResource(stack, "made", localExec('test -n "$DNS"', { DNS: dns.value }));
      });
      const texts = await trace(folder, [...COMMANDS, "show -json"], {});
      expect(await outputs(folder)).toMatchObject({
        status: { value: 200 },
        print: { value: expect.stringMatching(/^[0-9a-f]{12}$/) },
      });
      expect(requests()).toBe(1);
      expect(new Set(calls())).toEqual(new Set(["/web project web 200"]));
      expect(leaks(texts)).toEqual([`static token: ${FILE}`, `token 1: ${FILE}`]);
      expect(readFileSync(join(folder, "cdk.tf.json"), "utf8")).not.toContain(
        "cdktf-iam-tokens/iam",
      );
      Object.assign(texts, await trace(folder, ["destroy -auto-approve"], {}));
      await synthesize(stage(), undefined);
      expect(leaks(texts)).toEqual([]);
    });

    test("with allowInState is an output and an argument; it is in the file, in saved plans and in the state, and nowhere else", async () => {
      const build: BuildWith = (stack, token, dns) => {
        new TokenOutputs(stack, "ci", { token });
        new DataResource(stack, "kept", { input: { dns: dns.value } });
      };
      const folder = await synthesize(stage(), build, true);
      const texts = await stage().trace(folder, ["init", "plan -out=saved", "apply saved"], {});
      expect(stage().leaks(texts)).toEqual(
        ["static token", "token 1"].flatMap((canary) =>
          [FILE, "saved", "terraform.tfstate"].map((name) => `${canary}: ${name}`),
        ),
      );
      expect(await stage().outputs(folder)).toMatchObject({
        ci_value: { sensitive: true, value: stage().identity.issuedTokens()[0] },
      });
    });

    test.each([false, true])(
      "is that of a later pass when a saved plan is applied; that of the plan with allowInState, here %p",
      async (allowInState) => {
        const build: BuildWith = (stack, web) => {
          const command = 'test "$(printf %s "$WEB" | wc -c)" -gt 20';
          new DataResource(stack, "made", localExec(command, { WEB: web.value }));
        };
        const folder = await synthesize(stage(), build, allowInState);
        await stage().succeed(folder, "init", {});
        await stage().succeed(folder, "plan -out=saved", {});
        await synthesize(stage(), build, allowInState);
        const { text } = await stage().terraform(folder, "apply saved", {});
        const refused = allowInState && underOpenTofu();
        expect(text).toMatch(refused ? /variable "web_token" is different/ : "1 added");
      },
    );
  },
  { consumers: true },
);
