// Finds regular expressions whose time grows faster than their input: with 80,000 slashes,
// /\/+$/ takes seconds. Everything in lib may see input, so none is allowed there.
//
// Literals are read from the sources. One that is put together by `new RegExp` is caught when its
// module is loaded.
//
// `node test/house/regular-expressions.mjs FILE…` looks at these files only.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync } from "@swc/core";
import { analyse } from "scslre";
import { require as tsRequire } from "tsx/cjs/api";

/** How many expressions lib has at least: none would be found if the parser's tree changed. */
const LEAST = 100;

const root = resolve(import.meta.dirname, "../..");
const given = process.argv.slice(2);
const files =
  given.length > 0
    ? given
    : readdirSync(join(root, "lib"), { recursive: true })
        .filter((f) => f.endsWith(".ts"))
        .map((f) => join("lib", f))
        .sort();

const trees = files.map((file) => [
  file,
  parseSync(readFileSync(resolve(root, file), "utf8"), { syntax: "typescript" }),
]);
const sites = new Map(trees.map(([file, tree]) => [file, nodesIn(tree, isConstruction).length]));
const made = computedIn(files.filter((file) => sites.get(file) > 0));
const problems = [];
let looked = 0;
for (const [file, tree] of trees) {
  const computed = [...made].filter(([at]) => at.includes(file)).map(([, each]) => each);
  const unseen = sites.get(file) - computed.length;
  if (unseen > 0) problems.push(`${file}: ${unseen} uses of RegExp are not run when it is loaded`);
  const literals = nodesIn(tree, ({ type }) => type === "RegExpLiteral");
  for (const { pattern, flags } of [...literals, ...computed]) {
    looked++;
    for (const { type, exponential, character } of analyse({ source: pattern, flags }).reports)
      problems.push(
        `${file}: /${pattern}/${flags}: ${exponential ? "exponential" : "quadratic"} (${type}) for many ${character.pick}`,
      );
  }
}
if (given.length === 0 && looked < LEAST) problems.push(`only ${looked} expressions were found`);
for (const each of problems) console.error(each);
if (problems.length > 0) process.exitCode = 1;

function nodesIn(node, isWanted) {
  if (typeof node !== "object" || node === null) return [];
  if (isWanted(node)) return [node];
  return Object.values(node).flatMap((each) => nodesIn(each, isWanted));
}

/** `new RegExp(…)` or `RegExp(…)`. */
function isConstruction({ type, callee }) {
  return /^(New|Call)Expression$/.test(type) && callee?.value === "RegExp";
}

/** The first expression of each place that makes one, by that place. */
function computedIn(sources) {
  const own = globalThis.RegExp;
  const found = new Map();
  const note = (expression) => {
    const stack = new Error().stack.split("\n");
    const at = stack.find((line) => sources.some((file) => line.includes(file)));
    const { source: pattern, flags } = expression;
    if (at !== undefined && !found.has(at)) found.set(at, { pattern, flags });
    return expression;
  };
  globalThis.RegExp = new Proxy(own, {
    construct: (target, args, newTarget) => note(Reflect.construct(target, args, newTarget)),
    apply: (target, self, args) => note(Reflect.apply(target, self, args)),
  });
  try {
    for (const file of sources) tsRequire(resolve(root, file), import.meta.url);
  } finally {
    globalThis.RegExp = own;
  }
  return found;
}
