// The API reference of each language (docs/api), made by jsii-docgen from the assembly. npm's
// package contains that of TypeScript, each other package its own.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageOf } from "../names.mjs";
import { packBoth } from "../pack.mjs";
import { inPage } from "../terrain.mjs";
import { unpackPackage } from "./npm-package.mjs";
import { installTools } from "./tools.mjs";

/** By the name that jsii-docgen has for it. */
export const REFERENCES = {
  typescript: "TypeScript",
  python: "Python",
  java: "Java",
  csharp: "C#",
  go: "Go",
};

const COMMENT =
  "<!-- Made by jsii-docgen (`npm run docs`); `npm test -- languages` fails when it is out of date. -->";

/** A link to one of our pages, as docstrings have it in every language. */
const LINK = new RegExp(
  `\\[${literally(pageOf(""))}([\\w-]+\\.md)\\]\\(${literally(pageOf(""))}\\1\\)`,
  "g",
);

/**
 * The references of both packages, made anew.
 *
 * @returns by package, by language
 */
export function makeReferences(root) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "reference-")));
  try {
    const tools = installTools(root);
    return packBoth(scratch).map((tarball) => {
      const folder = unpackPackage(root, tarball, scratch, tools);
      const languages = Object.keys(REFERENCES);
      const options = languages.flatMap((language) => ["--language", language]);
      tools.docgen(options, { cwd: folder });
      return languages.map((language) => [
        language,
        asPage(readFileSync(join(folder, `API.${language}.md`), "utf8"), REFERENCES[language]),
      ]);
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function asPage(text, language) {
  const page = text
    .replace(/^# API Reference.*\n/, `# API reference: ${language}\n\n${COMMENT}\n`)
    .replaceAll(LINK, "[$1](../$1)")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n");
  return `${page.trim()}\n`;
}

/** The checked-in reference of a language, for a package of it. */
export function addReference(root, folder, language, target) {
  const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = readFileSync(join(root, `docs/api/${language}.md`), "utf8");
  const page = name.startsWith("cdktn") ? inPage(text) : text;
  mkdirSync(target, { recursive: true });
  writeFileSync(
    join(target, "API.md"),
    page.replaceAll(/\]\(\.\.\/([\w-]+\.md)\)/g, (_, its) => `](${pageOf(its)})`),
  );
}

function literally(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
