// 100 columns are the limit. The formatter breaks what it can of TypeScript and JavaScript; this
// finds what it leaves alone: comments, and shell scripts. These may be longer: an address, a
// directive of a linter, one text in quotes.
//
// In the pages it finds code that has to be scrolled, and paragraphs that have not one sentence a
// line.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const LIMIT = 100;
const COMMENT = /^\s*(?:\/\/|\/?\*|#)/;
const UNBREAKABLE = /https?:\/\/\S{40}|(?:biome-ignore|shellcheck) /;
/** In quotes, with what else such a line has: a name before it, a bracket or operator behind it. */
const ONE_TEXT = /^.{0,30}(["'])(?:(?!\1).){60,}\1.{0,12}$/;

const root = resolve(import.meta.dirname, "../..");
const wide = ["lib", "test", "examples"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
  )
  .filter((path) => /\.(ts|mjs|cjs|sh)$/.test(path) && !path.includes(".generated."))
  .flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .map((line, index) => ({ line, place: `${path}:${index + 1}` }))
      .filter(({ line }) => [...line].length > LIMIT && !UNBREAKABLE.test(line))
      .filter(({ line }) =>
        path.endsWith(".sh") ? !ONE_TEXT.test(line) || COMMENT.test(line) : COMMENT.test(line),
      )
      .map(({ line, place }) => `${place}: ${[...line].length} columns`),
  );

/** Their sentences come from the code. */
const GENERATED = /^docs\/(api\/.*|errors|product-areas)\.md$/;
/** Neither a paragraph: headings, tables, lists, HTML. */
const OTHER = /^\s*(?:[#|<]|[-*] |\d+\. |$)/;
/** The end of a sentence with another behind it, once names with dots are out of the way. */
const SENTENCES = /[.!?]\)? +[A-Z([*]/;

const pages = [".", "docs", "examples"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== "." }).map((path) =>
      join(folder, path),
    ),
  )
  .filter((path) => path.endsWith(".md"))
  .flatMap((path) => {
    let code = false;
    return readFileSync(join(root, path), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const place = `${path}:${index + 1}`;
        if (/^\s*```/.test(line)) {
          code = !code;
          return [];
        }
        if (GENERATED.test(path)) return [];
        if (code) return line.length > LIMIT ? [`${place}: ${line.length} columns of code`] : [];
        if (OTHER.test(line)) return [];
        const words = line.replace(/`[^`]*`/g, "code").replaceAll("Node.js", "Node");
        if (SENTENCES.test(words)) return [`${place}: more than one sentence`];
        return /[\p{L}\d,;]$/u.test(words) ? [`${place}: a sentence in more than one line`] : [];
      });
  });

for (const each of [...wide, ...pages]) console.error(each);
if (wide.length + pages.length > 0) process.exitCode = 1;
