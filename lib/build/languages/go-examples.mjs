// rosetta's Go does not compile: it leaves out packages, pointers to lists, the names that Go gives
// to members, and arguments that are optional elsewhere.

import { readFileSync, writeFileSync } from "node:fs";
import { filesUnder } from "../dist-folder.mjs";

const EXAMPLE = /(\/\/ Example:\n)((?:[\t ]*\/\/ {3}.*\n)+)/g;

/** @param module the folder of a Go module, whose docstrings have examples */
export function mendExamples(module) {
  const files = filesUnder(module).filter((path) => path.endsWith(".go"));
  const texts = files.map((path) => readFileSync(path, "utf8"));
  const counts = new Map(
    texts
      .flatMap((text) => [...text.matchAll(/^func (\w+)\(([^)]*)\)/gm)])
      .map(([, name, list]) => [name, list === "" || list.includes("...") ? 0 : commas(list) + 1]),
  );
  for (const [at, path] of files.entries())
    writeFileSync(
      path,
      texts[at].replaceAll(EXAMPLE, (_, start, lines) => start + mended(lines, counts)),
    );
}

/** Text in quotes, and comments at the end of a line. */
const QUOTED = /("(?:[^"\\]|\\.)*"|\/\/ .*$)/m;

function mended(lines, counts) {
  const code = lines.split("\n").map((line) => {
    const [, margin, rest] = /^([\t ]*(?:\/\/ {3})?)(.*)$/.exec(line);
    const parts = rest.split(QUOTED).map((part, index) => (index % 2 ? part : inGo(part)));
    return margin + parts.join("");
  });
  return withAllArguments(code.join("\n"), counts);
}

const upper = (name) => name[0].toUpperCase() + name.slice(1);

/** One piece of code without strings. */
const inGo = (code) =>
  code
    .replace(/&([A-Z]\w*)\{/g, "&iamtokens.$1{")
    .replace(/&([a-z]\w*Config)\{/g, (_, name) => `&providers.${upper(name)}{`)
    .replaceAll("jsii.Boolean(", "jsii.Bool(")
    .replace(/\bnew([A-Z]\w*)\(/g, "providers.New$1(")
    .replace(/(?<!&)\[\](\*string|ITerraformDependable)\{/g, (_, type) =>
      type === "*string" ? "&[]*string{" : "&[]cdktf.ITerraformDependable{",
    )
    .replace(/(?<!&)map\[string\]\*string\{/g, "&$&")
    .replace(/^(\t*)([a-z]\w*): /, (_, tabs, name) => `${tabs}${upper(name)}: `)
    .replace(/: ([A-Z]\w*),$/, (_, name) => `: ${name[0].toLowerCase()}${name.slice(1)},`)
    .replace(/(?<=[\w)])\.([a-z]\w*)(\()?/g, (_, name, call) => `.${upper(name)}${call ?? "()"}`);

/** With nil for each argument that is left out at the end. */
function withAllArguments(code, counts) {
  const call = /\biamtokens\.(\w+)\(/g;
  let result = code;
  for (let found = call.exec(result); found !== null; found = call.exec(result)) {
    const start = call.lastIndex;
    const end = closing(result, start);
    const given = result.slice(start, end);
    const missing = (counts.get(found[1]) ?? 0) - (given.trim() === "" ? 0 : commas(given) + 1);
    if (missing <= 0) continue;
    const nils = Array(missing).fill("nil").join(", ");
    result = `${result.slice(0, end)}${given.trim() === "" ? "" : ", "}${nils}${result.slice(end)}`;
  }
  return result;
}

/** The index of the parenthesis that closes. */
function closing(code, start) {
  for (let depth = 1, at = start; ; at++) {
    if ("([{".includes(code[at])) depth++;
    if (")]}".includes(code[at]) && --depth === 0) return at;
  }
}

/** How many commas are in no pair of brackets, nor in quotes. */
function commas(code) {
  let depth = 0;
  let count = 0;
  for (const char of code.replaceAll(/"(?:[^"\\]|\\.)*"/g, "")) {
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (char === "," && depth === 0) count++;
  }
  return count;
}
