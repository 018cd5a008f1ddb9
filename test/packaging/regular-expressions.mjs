// Finds regular expressions whose time grows faster than their input: with 80,000 slashes,
// /\/+$/ takes seconds. Everything in lib may see input, so none is allowed there, except for those
// that this file names with the reason.
//
// `node test/packaging/regular-expressions.mjs FILE…` looks at these files only.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync } from "@swc/core";
import { analyse } from "scslre";

const root = resolve(import.meta.dirname, "../..");
const given = process.argv.slice(2);
const files =
  given.length > 0
    ? given
    : readdirSync(join(root, "lib"), { recursive: true })
        .filter((f) => f.endsWith(".ts"))
        .map((f) => join("lib", f))
        .sort();
const found = files.flatMap((file) =>
  literalsIn(
    parseSync(readFileSync(resolve(root, file), "utf8"), { syntax: "typescript" }),
  ).flatMap(({ pattern, flags }) => {
    const { reports } = analyse({ source: pattern, flags });
    return reports.map(
      ({ type, exponential, character }) =>
        `${join(file)}: /${pattern}/${flags}: ${exponential ? "exponential" : "quadratic"} (${type}) for many ${character.pick}`,
    );
  }),
);
for (const each of found) console.error(each);
if (found.length > 0) process.exitCode = 1;

function literalsIn(node) {
  if (typeof node !== "object" || node === null) return [];
  if (node.type === "RegExpLiteral") return [node];
  return Object.values(node).flatMap(literalsIn);
}
