import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { REQUESTS_OF_APPLY, scenarios } from "../../scenarios/scenario";
import { type CommandResult, startCommand } from "../../support/command";
import { commandLine } from "../../support/framework";
import { type PackageManager, packageManager } from "../../support/package-managers";
import { packageRoot } from "../../support/project";
import { testIf } from "../../support/skips";
import { terraformBinary, terraformEnvironment } from "../../support/terraform";
import { FRAMEWORK, installFor, inTerrain } from "../../support/terrain";

// Each installs what it needs from tarballs of this checkout, without network.

const OWN = `${FRAMEWORK}-iam-tokens`;

let tarballs: string;
/** By the package's name. */
const tarballOf = new Map<string, string>();

beforeAll(() => {
  tarballs = mkdtempSync(join(tmpdir(), "iam-tarballs-"));
  for (const name of [OWN, FRAMEWORK, "constructs"]) {
    let folder = name === OWN ? packageRoot : join(packageRoot, "node_modules", name);
    if (name === "cdktn-iam-tokens") {
      installFor("cdktn", "cdktf-iam-tokens", join(tarballs, "packages"));
      folder = join(tarballs, "packages", name);
    }
    const at = mkdtempSync(join(tarballs, "tarball-"));
    const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", at, folder];
    const { status, stderr } = spawnSync("npm", args, { cwd: at, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    tarballOf.set(name, join(at, readdirSync(at)[0] ?? ""));
  }
}, 120_000);
afterAll(() => rmSync(tarballs, { recursive: true, force: true }));

const DEPENDENCIES = () =>
  Object.fromEntries([...tarballOf].map(([name, path]) => [name, `file:${path}`]));

/**
 * Packages that Yarn would request from a registry: it takes nothing from inside a tarball. A
 * linked package finds its own packages as if there were no Yarn.
 */
function resolutions(): Record<string, string> {
  const modules = join(packageRoot, "node_modules");
  const manifest = readFileSync(join(modules, FRAMEWORK, "package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { readonly dependencies: object };
  const paths = Object.keys(dependencies).map((name) => join(FRAMEWORK, "node_modules", name));
  return Object.fromEntries(paths.map((path) => [basename(path), `link:${join(modules, path)}`]));
}

const YARN = "enableTelemetry: false\nenableNetwork: false\nenableGlobalCache: false\n";

interface Kind {
  readonly name: string;
  readonly manager: PackageManager;
  readonly install: readonly string[];
  /** Files of the project, by their paths. */
  readonly files: () => Readonly<Record<string, string>>;
  /** Where in it the app is. */
  readonly app: string;
}

const KINDS: readonly Kind[] = [
  {
    name: "pnpm, whose node_modules are links into a store",
    manager: "pnpm",
    install: ["install", "--offline", "--ignore-scripts"],
    files: () => ({
      "package.json": JSON.stringify({ private: true, dependencies: DEPENDENCIES() }),
      ".npmrc": "store-dir=store\n",
    }),
    app: ".",
  },
  {
    name: "a monorepo of Yarn, which hoists the packages of a workspace",
    manager: "yarn",
    install: ["install"],
    files: () => ({
      "package.json": JSON.stringify({
        name: "root",
        private: true,
        workspaces: ["packages/*"],
        resolutions: resolutions(),
      }),
      "packages/infra/package.json": JSON.stringify({
        name: "infra",
        dependencies: DEPENDENCIES(),
      }),
      ".yarnrc.yml": `${YARN}nodeLinker: node-modules\n`,
      "yarn.lock": "",
    }),
    app: "packages/infra",
  },
  {
    name: "Yarn's Plug'n'Play, which has no node_modules",
    manager: "yarn",
    install: ["install"],
    files: () => ({
      "package.json": JSON.stringify({
        name: "root",
        private: true,
        dependencies: DEPENDENCIES(),
        resolutions: resolutions(),
      }),
      ".yarnrc.yml": `${YARN}nodeLinker: pnp\n`,
      "yarn.lock": "",
    }),
    app: ".",
  },
];

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

  /** Installs, and gives what runs the manager in the app's folder. */
  async function install({ manager, install, files, app }: Kind) {
    const program = packageManager(manager) ?? "";
    const at = join(folder, app);
    const settings = { language: "typescript", app: "node main.cjs", projectId: "test" };
    const all = {
      ...files(),
      [join(app, "main.cjs")]: FRAMEWORK === "cdktf" ? APP : inTerrain(APP),
      [join(app, "cdktf.json")]: JSON.stringify({ ...settings, sendCrashReports: "false" }),
    };
    for (const [name, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    writeFileSync(join(at, "password"), stage().password, { mode: 0o600 });
    const { scratch, identity } = stage();
    const env = { ...terraformEnvironment(scratch), AUTH_URL: identity.authUrl };
    const run = async (cwd: string, ...args: readonly string[]) =>
      startCommand(process.execPath, [program, ...args], { cwd, env }).finished;
    succeeded(await run(folder, ...install));
    return (...args: readonly string[]) => run(at, "exec", ...args);
  }

  function succeeded({ exitCode, text }: CommandResult): string {
    if (exitCode !== 0) throw new Error(text);
    return text;
  }

  for (const kind of KINDS) {
    const { name, manager } = kind;
    testIf(packageManager(manager) !== null, `${manager} is not here: test/support/prepare.ts`)(
      `${name}, is deployed by the command line and by iam-tokens run, and passes doctor`,
      async () => {
        const exec = await install(kind);
        succeeded(await exec(...commandLine(), "deploy", "--auto-approve"));
        expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
        const plan = [terraformBinary(), "-chdir=cdktf.out/stacks/main", "plan"];
        succeeded(await exec("iam-tokens", "run", "--", ...plan));
        expect(stage().requests()).toBe(1);
        expect(succeeded(await exec("iam-tokens", "doctor"))).toMatch(/^ok +credentials/m);
      },
      240_000,
    );
  }
});
