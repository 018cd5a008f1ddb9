import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "./project";

/** The pages for people, relative to the repository; of those in docs/api, jsii makes the other. */
export const PAGES: readonly string[] = [
  ...namesIn("."),
  ...namesIn("docs"),
  "docs/api/reference.md",
  ...namesIn("examples"),
  ...readdirSync(join(packageRoot, "examples"), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .flatMap(({ name }) => namesIn(`examples/${name}`)),
];

function namesIn(folder: string): readonly string[] {
  return readdirSync(join(packageRoot, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => (folder === "." ? name : `${folder}/${name}`));
}

export const readPage = (page: string): string => readFileSync(join(packageRoot, page), "utf8");

/** A fenced block of a page. */
export interface PageBlock {
  readonly page: string;
  readonly language: string;
  /** Without the indentation of a list around it. */
  readonly text: string;
}

/** The blocks of a page, in order; only those of one language, if it is given. */
export function blocksOf(page: string, language?: string): readonly PageBlock[] {
  return [...readPage(page).matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)]
    .map(([, indent = "", name = "", text = ""]) => ({
      page,
      language: name,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }))
    .filter((block) => language === undefined || block.language === language);
}

/**
 * The commands of this package in a page, in a block or within a sentence. Arguments after `--`
 * belong to the command that it runs.
 */
export function commandsOf(page: string) {
  const text = readPage(page).replaceAll("\\\n", " ");
  const inBlocks = text.matchAll(/npx (?:--no-install )?(?:cdktf-)?iam-tokens (\w+)([^`\n]*)/g);
  const inSentences = text.matchAll(/`iam-tokens (\w+)([^`\n]*)/g);
  return [...inBlocks, ...inSentences].map(([, name = "", rest = ""]) => ({
    page,
    name,
    options: rest.split(/ --(?: |$)| #/)[0]?.match(/--[\w-]+/g) ?? [],
  }));
}
