import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { REQUESTS_OF_APPLY, scenarios } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { commandLine } from "../../support/framework";
import { packageManager } from "../../support/package-managers";
import { packageRoot } from "../../support/project";
import { useScratch } from "../../support/scratch";
import { testIf } from "../../support/skips";
import { terraformBinary, terraformEnvironment } from "../../support/terraform";

// Each installs what it needs from tarballs of this checkout, without network.

const MODULES = join(packageRoot, "node_modules");
const PACKED = {
  "cdktf-iam-tokens": packageRoot,
  cdktf: join(MODULES, "cdktf"),
  constructs: join(MODULES, "constructs"),
};
const tarballs = useScratch("block");
const dependencies: Record<string, string> = {};

beforeAll(() => {
  for (const [name, folder] of Object.entries(PACKED)) {
    const args = ["pack", "--ignore-scripts", "--silent", folder];
    const { status, stdout, stderr } = spawnSync("npm", args, {
      cwd: tarballs.folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    dependencies[name] = `file:${join(tarballs.folder, stdout.trim())}`;
  }
}, 120_000);

/**
 * Packages that Yarn would request from a registry: it takes nothing from inside a tarball. A
 * linked package finds its own packages as if there were no Yarn.
 */
function resolutions(): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(PACKED.cdktf, "package.json"), "utf8"));
  const paths = Object.keys(manifest.dependencies).map((name) =>
    join(PACKED.cdktf, "node_modules", name),
  );
  return Object.fromEntries(paths.map((path) => [basename(path), `link:${path}`]));
}

const manifest = (more: object) => JSON.stringify({ name: "root", private: true, ...more });
const yarn = (linker: string) => ({
  ".yarnrc.yml": `enableTelemetry: false\nenableNetwork: false\nenableGlobalCache: false\nnodeLinker: ${linker}\n`,
  "yarn.lock": "",
});

/** Each with the files of the project, by their paths, and where in it the app is. */
const KINDS = [
  {
    name: "pnpm, whose node_modules are links into a store",
    manager: "pnpm",
    files: () => ({
      "package.json": manifest({ dependencies }),
      ".npmrc": "store-dir=store\noffline=true\nignore-scripts=true\n",
    }),
    app: ".",
  },
  {
    name: "a monorepo of Yarn, which hoists packages",
    manager: "yarn",
    files: () => ({
      "package.json": manifest({ workspaces: ["packages/*"], resolutions: resolutions() }),
      "packages/infra/package.json": manifest({ name: "infra", dependencies }),
      ...yarn("node-modules"),
    }),
    app: "packages/infra",
  },
  {
    name: "Yarn's Plug'n'Play, which has no node_modules",
    manager: "yarn",
    files: () => ({
      "package.json": manifest({ dependencies, resolutions: resolutions() }),
      ...yarn("pnp"),
    }),
    app: ".",
  },
] as const;

const APP = `
const { App, DataResource, TerraformStack } = require("cdktf");
const { IdentityService, SecretRef, ServiceUserToken, TokenScope } = require("cdktf-iam-tokens");
const app = new App();
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL,
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.file("password") },
});
const token = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
new DataResource(stack, "hook", {
  provisioners: [{ type: "local-exec", command: 'test -n "$TOKEN"', environment: { TOKEN: token.value } }],
});
app.synth();
`;

scenarios("a project that was installed by", (stage) => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-installed-")));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const { name, manager, files, app } of KINDS) {
    const program = packageManager(manager);
    testIf(program !== null, `${manager} is not here: test/support/prepare.ts`)(
      `${name}, is deployed by the command line and by iam-tokens run, and passes doctor`,
      async () => {
        const { scratch, identity, password } = stage();
        const settings = { language: "typescript", app: "node main.cjs", projectId: "test" };
        const all = {
          ...files(),
          [join(app, "main.cjs")]: APP,
          [join(app, "cdktf.json")]: JSON.stringify({ ...settings, sendCrashReports: "false" }),
          [join(app, "password")]: password,
        };
        for (const [path, text] of Object.entries(all)) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), text, { mode: 0o600 });
        }
        const env = { ...terraformEnvironment(scratch), AUTH_URL: identity.authUrl };
        const run = async (cwd: string, ...args: readonly string[]) => {
          const options = { cwd: join(folder, cwd), env };
          const running = startCommand(process.execPath, [program ?? "", ...args], options);
          const { exitCode, text } = await running.finished;
          if (exitCode !== 0) throw new Error(text);
          return text;
        };
        await run(".", "install");
        await run(app, "exec", ...commandLine(), "deploy", "--auto-approve");
        expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
        const plan = [terraformBinary(), "-chdir=cdktf.out/stacks/main", "plan"];
        await run(app, "exec", "iam-tokens", "run", "--", ...plan);
        expect(stage().requests()).toBe(1);
        expect(await run(app, "exec", "iam-tokens", "doctor")).toMatch(/^stack main: well/m);
      },
      240_000,
    );
  }
});
