import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scenarios } from "../../scenarios/scenario";
import { startCommand } from "../../support/command";
import { commandLine } from "../../support/framework";
import { freePort } from "../../support/loopback-server";
import { openTofu } from "../../support/open-tofu";
import { packageRoot } from "../../support/project";
import { testIf } from "../../support/skips";
import { terraformEnvironment } from "../../support/terraform";
import { FRAMEWORK, writeTerrainPackage } from "../../support/terrain";

/** What `npm i` would bring, in addition to this package: from here, as there may be no network. */
const INSTALLED = [FRAMEWORK, "constructs", "tsx", "typescript", "@types/node", "undici-types"];
const OWN = `${FRAMEWORK}-iam-tokens`;
const CLI = `${FRAMEWORK}-cli`;

/** Packs the package of the framework into a folder, as `npm run pack` does. */
function pack(folder: string): void {
  const from = FRAMEWORK === "cdktf" ? packageRoot : join(folder, "unpacked");
  if (FRAMEWORK === "cdktn") writeTerrainPackage(from);
  const args = ["pack", "--ignore-scripts", "--pack-destination", folder];
  execFileSync("npm", args, { cwd: from, stdio: "ignore" });
  if (from !== packageRoot) rmSync(from, { recursive: true });
}

scenarios("the quick start of README.md", (stage) => {
  let folder: string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-readme-")));
    pack(folder);
    const modules = join(folder, "node_modules");
    const link = (target: string, path: string) => {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(target, path);
    };
    mkdirSync(join(modules, OWN), { recursive: true });
    execFileSync("sh", [
      "-c",
      'tar -xzf "$0"/*.tgz --strip-components=1 -C "$1" && rm "$0"/*.tgz',
      folder,
      join(modules, OWN),
    ]);
    for (const name of INSTALLED)
      link(join(packageRoot, "node_modules", name), join(modules, name));
    const [, script] = commandLine();
    const [before = "", bin = ""] = script.split(`/node_modules/${CLI}/`);
    link(join(before, "node_modules", CLI), join(modules, CLI));
    for (const [command, target] of [
      [FRAMEWORK, `../${CLI}/${bin}`],
      ["tsx", "../tsx/dist/cli.mjs"],
      ["tsc", "../typescript/bin/tsc"],
      ["iam-tokens-identity-server", `../${OWN}/dist/testing/main.js`],
      [OWN, `../${OWN}/dist/cli/main.js`],
    ] as const)
      link(target, join(modules, ".bin", command));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Pastes each block, with a folder of programs in front of the others, and variables set. */
  async function paste(programs: string, vars: Readonly<Record<string, string>>): Promise<void> {
    const { scratch } = stage();
    const readme = readFileSync(join(folder, "node_modules", OWN, "README.md"), "utf8");
    const quickStart = /^## Quick start\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? "";
    /** The blocks of one language, in order. */
    const blocks = (language: string): readonly string[] =>
      [...quickStart.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
        ([, block = ""]) => block,
      );
    const port = String(await freePort());
    const here = (text: string) => text.replaceAll("35357", port);
    const [main = "", ...more] = blocks("ts");
    const [configuration = "", compiler = "", ...configurations] = blocks("json");
    const [install = "", ...commands] = blocks("sh");
    expect([more, configurations, commands.length]).toEqual([[], [], 3]);
    // All but the installation is pasted; that one names what is linked above, and nothing else.
    const wanted = install
      .match(/(?<=^npm i (?:-D )?)[^-\s].*/gm)
      ?.join(" ")
      .split(" ");
    expect(wanted?.sort()).toEqual(
      ["@types/node", FRAMEWORK, CLI, OWN, "constructs", "tsx", "typescript"].sort(),
    );

    writeFileSync(join(folder, "package.json"), '{ "name": "first", "version": "1.0.0" }');
    writeFileSync(join(folder, "main.ts"), here(main));
    writeFileSync(join(folder, "cdktf.json"), configuration);
    writeFileSync(join(folder, "tsconfig.json"), compiler);
    // Once more: there is nothing to do.
    const again = (line: string) => `${line}\n${line}`;
    const script = here(commands.join("\n").replace(/^npx .* revoke .*$/m, again)).replace(
      "--echo &",
      // The port is the one thing that is not as printed: another test may have it.
      `--echo --port ${port} & until curl -s http://127.0.0.1:${port} >/dev/null; do sleep 0.1; done`,
    );
    const { exitCode, text } = await startCommand("bash", ["-ec", script], {
      cwd: folder,
      env: {
        ...terraformEnvironment(scratch),
        PATH: `${programs}:${dirname(commandLine()[0])}:${scratch.env.PATH}`,
        CI: "true",
        CHECKPOINT_DISABLE: "1",
        TSX_DISABLE_CACHE: "1",
        // npm leaves one in the temporary folder, from Node.js 22 on.
        NODE_DISABLE_COMPILE_CACHE: "1",
        npm_config_offline: "true",
        ...vars,
      },
    }).finished;
    if (exitCode !== 0) throw new Error(`It ended with ${exitCode}:\n${text}`);
    expect(text).toMatch(
      /\{"header":"X-Auth-Token","kind":"iam_token_project_scoped","user":"deployer","account":"123456","project":"web",/,
    );
    expect(text).toMatch(/GET \/echo 200 "deployer" of "123456" project "web"/);
    expect(text).toMatch(/for-ci_header_name = X-Auth-Token[\s\S]*for-ci_value = <sensitive>/);
    expect(text).toMatch(
      /Destroy complete![\s\S]*^revoked .* iam_token\.ci, output\.for-ci_value {2}http.*\n(.*\n)*Revoked: 1 of 1\.\n(.*\n)*already gone .*\nNothing to do: /m,
    );
  }

  test("works when pasted, block by block, into an empty folder", async () => {
    await paste(folder, {});
  }, 300_000);

  const tofu = openTofu();
  testIf(tofu !== null, "there is no OpenTofu here")(
    "works with OpenTofu and the variable that README names, without any terraform",
    async () => {
      const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
      const [, name = "", value = ""] = /`export (TERRAFORM_\w+)=(\w+)`/.exec(readme) ?? [];
      const programs = join(folder, "programs");
      mkdirSync(programs);
      symlinkSync(tofu ?? "", join(programs, value));
      writeFileSync(join(programs, "terraform"), "#!/bin/sh\nexit 127\n", { mode: 0o755 });
      await paste(programs, { [name]: value });
    },
    300_000,
  );
});
