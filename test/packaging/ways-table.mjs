// The table of docs/signing-in.md, made from the table in the code: `node
// test/packaging/ways-table.mjs` fails when it is stale; `--update` renews it.
import { readFileSync, writeFileSync } from "node:fs";
import { tsImport } from "tsx/esm/api";

const { argumentsOf, WAYS } = await tsImport("../../lib/tokens/ways.ts", import.meta.url);
const file = new URL("../../docs/signing-in.md", import.meta.url);

const code = (words) => words.map((word) => `\`${word}\``).join(", ");
const row = (part) =>
  `| ${[
    `${part.name}${part.optional ? " (optional)" : ""}`,
    code([part.property]),
    code(argumentsOf(part)),
    code(part.variables),
    code(part.keys),
  ].join(" | ")} |`;

/** What distinguishes two rows of one way. */
function by({ name, parts }) {
  const others = WAYS.filter((way) => way.name === name && way.parts !== parts);
  const isOwn = ({ argument }) =>
    others.every((way) => way.parts.every((part) => part.argument !== argument));
  return others.length === 0 ? "" : `, by the ${parts.filter(isOwn).at(-1).name}`;
}

const table = (way) => `**With ${way.text}**${by(way)} (${code(way.types)}):

| part | property | argument in HCL | variable | key in clouds.yaml |
|---|---|---|---|---|
${way.parts.map(row).join("\n")}
`;

const [BEGIN, END] = ["<!-- Made from lib/tokens/ways.ts by `npm run docs`. -->\n", "<!-- The end"];
const before = readFileSync(file, "utf8");
const [start, end] = [before.indexOf(BEGIN) + BEGIN.length, before.indexOf(END)];
if (start < BEGIN.length || end < start) throw new Error("docs/signing-in.md has no place for it");
const page = `${before.slice(0, start)}\n${WAYS.map(table).join("\n")}\n${before.slice(end)}`;

if (before !== page && process.argv.includes("--update")) writeFileSync(file, page);
else if (before !== page) {
  console.error("docs/signing-in.md is stale: npm run docs");
  process.exitCode = 1;
}
