import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenarios } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { freePort } from "../../support/loopback-server";
import { openTofu } from "../../support/open-tofu";
import { readPage } from "../../support/pages";
import { testIf } from "../../support/skips";
import { shellIn, userProject } from "../user-project";

scenarios("the quick start of README.md", (stage) => {
  const user = userProject(stage);

  /** Pastes each block, with a folder of programs in front of the others, and variables set. */
  async function paste(
    programs: string,
    vars: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    // What `npm i` would bring: from here, as there may be no network.
    const packages = ["cdktf", "constructs", "tsx", "typescript", "@types/node", "undici-types"];
    const { folder } = user.start("", { packages });
    const readme = readPage("README.md");
    const quickStart = /^## Quick start\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? "";
    /** The blocks of one language, in order. */
    const blocks = (language: string) =>
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
    expect(install.match(/(?<=^npm i .*)(?<= )[^-\s]\S+/gm)?.sort()).toEqual([
      "@types/node",
      "cdktf",
      "cdktf-cli",
      "cdktf-iam-tokens",
      "constructs",
      "tsx",
      "typescript",
    ]);

    writeFileSync(join(folder, "main.ts"), here(main));
    writeFileSync(join(folder, "cdktf.json"), configuration);
    writeFileSync(join(folder, "tsconfig.json"), compiler);
    // Once more: there is nothing to do.
    const again = (line: string) => `${line}\n${line}`;
    const server = "./node_modules/.bin/iam-tokens-identity-server";
    const defaultPort = `${server} --help | grep -q "default: 35357"\n`;
    const script =
      defaultPort +
      here(commands.join("\n").replace(/^npx .* revoke .*$/m, again)).replace(
        "--echo &",
        // The port is the one thing that is not as printed: another test may have it.
        `--echo --port ${port} & until curl -s http://127.0.0.1:${port} >/dev/null; do sleep 0.1; done`,
      );
    const shell = shellIn(folder, stage());
    const { exitCode, text } = await startCommand("bash", ["-ec", script], {
      cwd: folder,
      env: { ...shell, PATH: `${programs}:${shell.PATH}`, ...vars },
      timeoutMs: 240_000,
    }).finished;
    if (exitCode !== 0) throw new Error(`It ended with ${exitCode}:\n${text}`);
    for (const expected of [
      /\{"header":"X-Auth-Token","kind":"iam_token_project_scoped","user":"deployer","account":"123456","project":"web",/,
      /GET \/echo 200 "deployer" of "123456" project "web"/,
      /for-ci_header_name = X-Auth-Token[\s\S]*for-ci_value = <sensitive>/,
      /Destroy complete![\s\S]*^revoked .* iam_token\.ci, output\.for-ci_value\n(.*\n)*Revoked: 1 of 1\.\n(.*\n)*refused .*\n(.*\n)*Revoked: 0 of 1\. Refused already: 1\./m,
    ])
      expect(text).toMatch(expected);
  }

  test(
    "works when pasted, block by block, into an empty folder",
    () => paste(stage().scratch.folder),
    300_000,
  );

  const tofu = openTofu();
  testIf(tofu !== null, "there is no OpenTofu here")(
    "works with OpenTofu and the variable that README names, without any terraform",
    async () => {
      const [, name = "", value = ""] =
        /`export (TERRAFORM_\w+)=(\w+)`/.exec(readPage("README.md")) ?? [];
      const programs = join(stage().scratch.folder, "programs");
      mkdirSync(programs);
      symlinkSync(tofu ?? "", join(programs, value));
      writeFileSync(join(programs, "terraform"), "#!/bin/sh\nexit 127\n", { mode: 0o755 });
      await paste(programs, { [name]: value });
    },
    300_000,
  );
});
