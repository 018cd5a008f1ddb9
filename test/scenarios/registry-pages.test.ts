import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { runTool } from "../support/cache";
import { packageRoot } from "../support/project";
import { terraformBinary } from "../support/terraform";
import { scenarios } from "./world";

/** The layout of Terraform's and OpenTofu's registries. */
const PAGES = [
  ...["data-sources/static_token", "data-sources/token", "ephemeral-resources/static_token"],
  ...["ephemeral-resources/token", "index", "resources/rotation", "resources/token"],
];
const SOURCE = "npm.invalid/cdktf-iam-tokens/iam";

// docs/without-npm.md: Without a registry
scenarios("the registry's pages", (stage) => {
  test("have the registries' layout, and examples that Terraform accepts", async () => {
    const { scratch } = stage();
    const program = `import { writeRegistryPages } from "./lib/build/registry-pages.mjs";
await writeRegistryPages(${JSON.stringify(scratch.folder)});`;
    runTool(process.execPath, ["--input-type=module", "-e", program], packageRoot);
    const docs = join(scratch.folder, "docs");
    const pages = Object.fromEntries(
      readdirSync(docs, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".md"))
        .map((name) => [
          name.replaceAll("\\", "/").slice(0, -3),
          readFileSync(join(docs, name), "utf8"),
        ]),
    );
    expect(Object.keys(pages).toSorted()).toEqual(PAGES);

    const modules: string[] = [];
    const cwd = join(scratch.folder, "module");
    for (const [name, page] of Object.entries(pages)) {
      const [, front = "", text = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(page) ?? [];
      expect(parse(front)).toMatchObject({
        page_title: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
      });
      const [, hcl = ""] = /```terraform\n([\s\S]*?)```/.exec(text) ?? [];
      expect(hcl).toContain("iam");
      expect(text).toContain("## Schema");
      // All are modules below the provider's own example: Terraform starts once.
      const folder = name === "index" ? cwd : join(cwd, name);
      mkdirSync(folder, { recursive: true });
      if (name === "index")
        writeFileSync(
          join(folder, "main.tf"),
          hcl.replace(/source = "[^"]+"/, `source = "${SOURCE}"`),
        );
      else {
        const required = `terraform {\n required_providers {\n iam = { source = "${SOURCE}" }\n }\n}\n`;
        writeFileSync(join(folder, "main.tf"), required + hcl);
        modules.push(`module "${name.replaceAll(/[/-]/g, "_")}" {\n source = "./${name}"\n}\n`);
      }
    }
    writeFileSync(join(cwd, "modules.tf"), modules.join(""));
    const terraform = `"${terraformBinary()}"`;
    const script = `${terraform} init && ${terraform} validate -no-color`;
    const { exitCode, text } = await stage().cli(["run", "--", "sh", "-c", script], { cwd });
    expect([exitCode, text]).toEqual([0, expect.stringContaining("The configuration is valid")]);
  });
});
