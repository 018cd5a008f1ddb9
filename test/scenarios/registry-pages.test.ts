import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { runTool } from "../support/cache";
import { packageRoot } from "../support/project";
import { terraformBinary } from "../support/terraform";
import { scenarios } from "./world";

/** The layout of Terraform's and OpenTofu's registries, and what Terraform calls the kinds. */
const OBJECTS = {
  "data-sources": { named: "data_source_schemas", names: ["static_token", "token"] },
  "ephemeral-resources": { named: "ephemeral_resource_schemas", names: ["static_token", "token"] },
  resources: { named: "resource_schemas", names: ["rotation", "token"] },
};
const SOURCE = "npm.invalid/cdktf-iam-tokens/iam";

// docs/without-npm.md: Without a registry
scenarios("the registry's pages", (stage) => {
  test("have the registries' layout, links that lead somewhere, examples that Terraform accepts, and every attribute of its schema", async () => {
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
    const objects = Object.entries(OBJECTS).flatMap(([kind, { names }]) =>
      names.map((name) => `${kind}/${name}`),
    );
    expect(Object.keys(pages).toSorted()).toEqual([...objects, "index"].toSorted());

    const modules: string[] = [];
    const cwd = join(scratch.folder, "module");
    for (const [name, page] of Object.entries(pages)) {
      const [, front = "", text = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(page) ?? [];
      const title = /^# (.*)$/m.exec(text)?.[1];
      expect(parse(front)).toEqual({
        page_title: expect.stringContaining(title?.replace(/ \(.*/, "") ?? "a title"),
        subcategory: "",
        description: expect.stringMatching(/\S/),
      });
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(
        ([, heading = ""]) =>
          `#${heading
            .toLowerCase()
            .replaceAll(/[^\w\- ]/g, "")
            .replaceAll(" ", "-")}`,
      );
      const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
      expect(
        links.filter((link) => !link.startsWith("https://") && !headings.includes(link)),
      ).toEqual([]);
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
    const script = `${terraform} init && ${terraform} validate -no-color && ${terraform} providers schema -json >schema.json`;
    const { exitCode, text } = await stage().cli(["run", "--", "sh", "-c", script], { cwd });
    expect([exitCode, text]).toEqual([0, expect.stringContaining("The configuration is valid")]);

    const { provider_schemas } = JSON.parse(readFileSync(join(cwd, "schema.json"), "utf8"));
    const { provider, ...kinds } = provider_schemas[SOURCE];
    expect(attributesOn(pages.index)).toEqual(attributesIn(provider));
    for (const [kind, { named, names }] of Object.entries(OBJECTS))
      for (const name of names)
        expect(attributesOn(pages[`${kind}/${name}`])).toEqual(
          attributesIn(kinds[named][`iam_${name}`]),
        );
  });
});

/** What a page says of attributes: the chapter and the words of each, and whether it is a secret, without the marks of code. */
function attributesOn(page = ""): Readonly<Record<string, string>> {
  const chapters = page.split(/^### /m).slice(1);
  return Object.fromEntries(
    chapters.flatMap((chapter) => {
      const [heading, ...lines] = chapter.replaceAll("`", "").split("\n");
      return lines
        .map((line) => /^- (\w+) \([^),]+(, Sensitive)?(?:, Write-only)?\) (.*)$/.exec(line))
        .flatMap((found) =>
          found ? [[found[1], `${heading}${found[2] ?? ""}: ${found[3]}`]] : [],
        );
    }),
  );
}

interface TerraformSchema {
  readonly block: {
    readonly attributes: Readonly<
      Record<
        string,
        { description: string; required?: boolean; optional?: boolean; sensitive?: boolean }
      >
    >;
  };
}

/** The same as Terraform reads it from the provider. */
function attributesIn({ block }: TerraformSchema): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(block.attributes).map(
      ([name, { description, required, optional, sensitive }]) => {
        const chapter = required ? "Required" : optional ? "Optional" : "Read-Only";
        return [
          name,
          `${chapter}${sensitive ? ", Sensitive" : ""}: ${description.replaceAll("`", "")}`,
        ];
      },
    ),
  );
}
