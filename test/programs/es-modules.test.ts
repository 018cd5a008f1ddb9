import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddedIdentityService } from "cdktf-iam-tokens/testing";
import { startCommand } from "../support/command";
import { startIdentity } from "../support/identity-service";
import { packageManager } from "../support/package-managers";
import { makeProject, type Project, packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";
import { testIf } from "../support/skips";
import { STRIPPING } from "../support/type-stripping";

// A program with `"type": "module"`, by each program that runs TypeScript.

const PROGRAM = (authUrl: string) => `
import { NullProvider } from "@cdktf/provider-null/lib/provider/index.js";
import { App, TerraformStack } from "cdktf";
import { IdentityService, resolveTokens, RotationHook, SecretRef, ServiceUserToken, TokenResolution, TokenScope } from "cdktf-iam-tokens";

const app = new App();
const stack = new TerraformStack(app, "main");
new NullProvider(stack, "mine");
const identity = new IdentityService(stack, "identity", {
  authUrl: "${authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = (id: string, resolution: TokenResolution) =>
  new ServiceUserToken(stack, id, { identity, scope: TokenScope.account(), resolution });
new RotationHook(stack, "hook", { token: token("rotating", TokenResolution.rotating({ rotateWhenRemaining: "6h" })), command: "true" });
token("synth", TokenResolution.synth());
await resolveTokens(app);
app.synth();
`;

const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
const [bun, vitest] = [packageManager("bun"), packageManager("vitest")];

/** Each is a command, or none where it is missing. */
const ROWS: readonly (readonly [string, ...(readonly (readonly string[])[])])[] = [
  ["tsx", ["node", "--import", "tsx", "main.ts"]],
  ["tsc", ["node", tsc, "-p", "."], ["node", "out/main.js"]],
  ...STRIPPING.map(
    ({ name, path }) => [name, ...(existsSync(path) ? [[path, "main.ts"]] : [])] as const,
  ),
  ["bun", ...(bun === null ? [] : [[bun, "main.ts"]])],
  ["vitest", ...(vitest === null ? [] : [["node", vitest, "run", "--globals"]])],
];

let identity: EmbeddedIdentityService;
let project: Project;
const scratch = useScratch("block");
beforeEach(async () => {
  identity = await startIdentity("pw-for-tests");
  const packages = ["cdktf", "constructs", "@cdktf/provider-null", "tsx", "@types/node"];
  project = makeProject({
    app: PROGRAM(identity.authUrl),
    packages: [...packages, "undici-types"],
    files: {
      "main.test.ts": 'test("synthesis", async () => void (await import("./main.ts")));\n',
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          ...{ module: "nodenext", target: "es2022", types: ["node"], strict: true },
          ...{ skipLibCheck: true, outDir: "out" },
        },
        files: ["main.ts"],
      }),
    },
  });
  const manifest = join(project.folder, "package.json");
  const text = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, JSON.stringify({ ...text, type: "module" }));
});
afterEach(async () => {
  await identity.stop();
  project.remove();
});

for (const [name, ...commands] of ROWS)
  testIf(commands.length > 0, `there is no ${name} here`)(
    `an ES module is synthesized by ${name}, with its own null provider, a hook and a token before synthesis`,
    async () => {
      const env = { ...scratch.env, SERVICE_USER_PASSWORD: "pw-for-tests", TSX_DISABLE_CACHE: "1" };
      for (const [file = "", ...args] of commands) {
        const { exitCode, text } = await startCommand(file, args, { cwd: project.folder, env })
          .finished;
        if (exitCode !== 0) throw new Error(text);
      }
      const written = readFileSync(join(project.stackFolder("main"), "cdk.tf.json"), "utf8");
      const { provider, resource } = JSON.parse(written);
      expect(Object.keys(resource).sort()).toEqual(["iam_token", "terraform_data"]);
      expect(provider.null).toEqual([{}]);
      expect(identity.issuedTokens()).toHaveLength(1);
    },
  );
