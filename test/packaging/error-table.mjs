/**
 * The table of error codes in README.md, generated from the code.
 * `node test/packaging/error-table.mjs` fails when it is stale; `--update` renews it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const readme = new URL("../../README.md", import.meta.url);
const { ERROR_CODES } = createRequire(import.meta.url)("../../dist/tokens/error-codes.js");

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const table = [
  "| code | when | remedy |",
  "|---|---|---|",
  ...Object.entries(ERROR_CODES).map(([code, { summary, remedy }]) => `| \`${code}\` | ${cell(summary)} | ${cell(remedy)} |`),
].join("\n");

const before = readFileSync(readme, "utf8");
const after = before.replace(
  /(<!-- errors:begin[^\n]*-->\n)[\s\S]*?(\n?<!-- errors:end -->)/,
  (_all, begin) => `${begin}${table}\n<!-- errors:end -->`,
);
if (!after.includes(table)) throw new Error("README.md has lost the marks around the table of errors");
if (process.argv.includes("--update")) {
  writeFileSync(readme, after);
} else if (after !== before) {
  console.error("README.md: the table of errors is stale. Run npm run docs.");
  process.exit(1);
}
