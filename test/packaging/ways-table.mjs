// docs/signing-in.md, with the tables of the code.

import { tsImport } from "tsx/esm/api";

const { argumentsOf, PROJECT, WAYS } = await tsImport("../../lib/tokens/ways.ts", import.meta.url);

const code = (words) => words.map((word) => `\`${word}\``).join(", ");
const row = (part) =>
  `| ${[
    `${part.name}${part.optional?.(() => false) ? " (optional)" : ""}`,
    code(part.property === null ? [] : [part.property]),
    code(argumentsOf(part)),
    code(part.variables),
  ].join(" | ")} |`;

const PROJECTS = [
  ["the token's project", "TokenScope.project", "project_name", PROJECT.name],
  ["its id", "TokenScope.projectById", "project_id", PROJECT.id],
]
  .map(
    ([name, property, argument, { variables }]) =>
      `| ${[name, code([property]), `of the token: ${code([argument])}`, code(variables)].join(" | ")} |`,
  )
  .join("\n");

const table = (way) => `**With ${way.text}** (${code(way.types)}):

| part | property | argument in HCL | variable |
|---|---|---|---|
${way.parts.map(row).join("\n")}
${PROJECTS}
`;

const [BEGIN, END] = ["<!-- Made from lib/tokens/ways.ts by `npm run docs`. -->\n", "<!-- The end"];
/** The page with the tables in their place. */
export function waysPage(before) {
  const [start, end] = [before.indexOf(BEGIN) + BEGIN.length, before.indexOf(END)];
  if (start < BEGIN.length || end < start)
    throw new Error("docs/signing-in.md has no place for it");
  return `${before.slice(0, start)}\n${WAYS.map(table).join("\n")}\n${before.slice(end)}`;
}
