import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { packageRoot } from "../support/project";

/** The pages that people read: at the top, in docs and in the examples. */
const pages = [
  ".",
  "docs",
  ...readdirSync(join(packageRoot, "examples")).map((name) => join("examples", name)),
]
  .map((folder) => join(packageRoot, folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((file) => file.endsWith(".md"));

/** As GitHub makes them from headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replace(/ /g, "-"),
  );

test.each(pages.map((file) => relative(packageRoot, file)))("%s has no broken link", (page) => {
  const file = join(packageRoot, page);
  const text = readFileSync(file, "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const broken = links.filter(([, path = "", anchor]) => {
    const target = path === "" ? file : join(dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
  const pictures = [...text.matchAll(/\b(?:src|srcset)="(?!https?:)([^"]*)"/g)];
  const missing = pictures.filter(([, path = ""]) => !existsSync(join(dirname(file), path)));
  expect(missing.map(([picture]) => picture)).toEqual([]);
});

test("the picture of README.md names places where docs/using-tokens.md lets an ephemeral token work, on light and on dark pages", () => {
  const [light = "", dark = ""] = ["", "-dark"].map((mode) =>
    readFileSync(join(packageRoot, `docs/where-a-token-goes${mode}.svg`), "utf8"),
  );
  const uses = /The token goes to (a .*?);/.exec(light)?.[1]?.split(", ") ?? [];
  const page = readFileSync(join(packageRoot, "docs/using-tokens.md"), "utf8");
  expect(uses).toHaveLength(3);
  for (const use of uses) expect(page).toContain(`| ${use.replace(/^a /, "")} | works |`);
  const colours = /#[0-9a-f]{6}\b/g;
  expect(dark.replace(colours, "")).toBe(light.replace(colours, ""));
});
