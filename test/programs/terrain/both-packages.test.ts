import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Scenario, scenarios } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { installFor, inTerrain } from "../../support/terrain";
import { programOf, userProject } from "../user-project";

/** A program of CDKTF, which also loads the other entry. */
const appOf = (stage: Scenario) =>
  programOf(
    stage,
    'if (typeof EmbeddedIdentityService.start !== "function") throw new Error("no ./testing");',
    'import { EmbeddedIdentityService } from "cdktf-iam-tokens/testing";',
  );

/** The files of a stack, by path, without comments of the framework. */
function filesOf(stack: string): Record<string, string> {
  const paths = readdirSync(stack, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const withoutComments = (name: string, value: unknown) => (name === "//" ? undefined : value);
  return Object.fromEntries(
    paths.map((path) => [
      relative(stack, path),
      path.endsWith(".tf.json")
        ? JSON.stringify(JSON.parse(readFileSync(path, "utf8"), withoutComments))
        : readFileSync(path, "base64"),
    ]),
  );
}

scenarios("both packages in one folder of packages", (stage) => {
  const user = userProject(stage);

  test("both synthesize the same program, to the last byte of the provider", async () => {
    const own = user.start("", { framework: "cdktf" });
    for (const name of ["cdktf-iam-tokens", "cdktf"])
      installFor("cdktn", name, join(own.folder, "node_modules"));
    const written = [];
    for (const text of [appOf(stage()), inTerrain(appOf(stage()))]) {
      own.writeApp(text);
      const result = await startCommand(process.execPath, ["--import", "tsx", "main.ts"], {
        cwd: own.folder,
        env: { ...stage().scratch.env, TSX_DISABLE_CACHE: "1" },
      }).finished;
      expect([result.exitCode, result.text]).toEqual([0, ""]);
      written.push(filesOf(own.stackFolder("main")));
    }
    const [cdktf = {}, cdktn = {}] = written;
    expect(Object.keys(cdktf).length).toBeGreaterThan(20);
    expect(cdktn["cdk.tf.json"]).toContain("iam_token");
    expect(cdktn).toEqual(cdktf);
  });
});
