import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { iamTokens, scenarios } from "../../scenarios/world";
import { commandLine } from "../../support/framework";

scenarios("cdktf get", (stage) => {
  test("generates bindings of the provider under run, as docs/other-tools.md says", async () => {
    const { scratch } = stage();
    const cwd = join(scratch.folder, "project");
    mkdirSync(cwd);
    const settings = {
      ...{ language: "typescript", app: "true", projectId: "test", sendCrashReports: "false" },
      terraformProviders: ["npm.invalid/cdktf-iam-tokens/iam"],
    };
    writeFileSync(join(cwd, "cdktf.json"), JSON.stringify(settings));
    const result = await iamTokens(["run", ...commandLine(), "get"], {
      scratch,
      cwd,
      env: { CI: "true" },
    });
    if (result.exitCode !== 0) throw new Error(result.text);
    for (const name of ["provider", "token", "data-iam-token"])
      expect(existsSync(join(cwd, `.gen/providers/iam/${name}/index.ts`))).toBe(true);
  });
});
