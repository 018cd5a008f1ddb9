// 100 columns are the limit. The formatter breaks what it can of TypeScript and JavaScript; this
// finds what it leaves alone: comments, and shell scripts. What cannot be broken may be longer: an
// address, a directive of a linter, one text in quotes.

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
for (const each of wide) console.error(each);
if (wide.length > 0) process.exitCode = 1;
