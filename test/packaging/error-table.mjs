/**
 * What is said of error codes, generated from the code: the table in README.md, and docs/errors.md.
 * `node test/packaging/error-table.mjs` fails when one is stale; `--update` renews both.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tsImport } from "tsx/esm/api";

const at = (path) => new URL(`../../${path}`, import.meta.url);
const { ERROR_CODES } = await tsImport("../../lib/tokens/error-codes.ts", import.meta.url);
const codes = Object.entries(ERROR_CODES);

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const table = [
  "| code | when | remedy |",
  "|---|---|---|",
  ...codes.map(
    ([code, { summary, remedy }]) => `| \`${code}\` | ${cell(summary)} | ${cell(remedy)} |`,
  ),
].join("\n");

function readme() {
  const before = readFileSync(at("README.md"), "utf8");
  const after = before.replace(
    /(<!-- errors:begin[^\n]*-->\n)[\s\S]*?(\n?<!-- errors:end -->)/,
    (_all, begin) => `${begin}${table}\n<!-- errors:end -->`,
  );
  if (!after.includes(table))
    throw new Error("README.md has lost the marks around the table of errors");
  return after;
}

/** The parts of the list, by the comments that stand over them in the code. */
function sections() {
  const source = readFileSync(at("lib/tokens/error-codes.ts"), "utf8");
  const found = [];
  for (const [, title, code] of source.matchAll(/^ {2}\/\/ (.+?)\.?$|^ {2}(ERR_[A-Z0-9_]+):/gm)) {
    if (title !== undefined) found.push({ title, codes: [] });
    else found.at(-1).codes.push(code);
  }
  const listed = found.flatMap((section) => section.codes);
  if (listed.join() !== codes.map(([code]) => code).join())
    throw new Error("the sections of lib/tokens/error-codes.ts are not its codes");
  return found;
}

function page() {
  const entry = (code) => [
    `### ${code}`,
    "",
    ERROR_CODES[code].summary,
    "",
    `What to do: ${ERROR_CODES[code].remedy}`,
    "",
  ];
  return [
    "# Error codes",
    "",
    "<!-- Made from lib/tokens/error-codes.ts by `npm run docs`. -->",
    "",
    "Every error of this package has one of these codes, at the end of its message in brackets and as `code` of the",
    "`IamTokensError` that is thrown. Codes are stable: one may be added, none is renamed or given another meaning.",
    "",
    ...sections().flatMap((section) => [
      `## ${section.title}`,
      "",
      ...section.codes.flatMap(entry),
    ]),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

let stale = false;
for (const [path, make] of [
  ["README.md", readme],
  ["docs/errors.md", page],
]) {
  const wanted = make();
  if (process.argv.includes("--update")) writeFileSync(at(path), wanted);
  else if (!existsSync(at(path)) || readFileSync(at(path), "utf8") !== wanted) {
    console.error(`${path}: what is made from the error codes is stale. Run npm run docs.`);
    stale = true;
  }
}
if (stale) process.exit(1);
