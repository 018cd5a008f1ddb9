import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { packageRoot } from "../support/project";

/** They have no compiler, and no test runs each of them. */
test("each .mjs imports only what there is", async () => {
  const programs = ["lib", "test"].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".mjs"))
      .map((path) => join(packageRoot, folder, path)),
  );
  expect(programs.length).toBeGreaterThan(40);
  const { warnings } = await build({
    entryPoints: programs,
    ...{ bundle: true, write: false, outdir: "never-written", logLevel: "silent" },
    ...{ platform: "node", format: "esm", target: "node20", packages: "external" },
  });
  expect(warnings).toEqual([]);
});
