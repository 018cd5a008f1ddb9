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

/** Whether every way has a part in the same words. */
const isCommon = ({ argument, property }) =>
  WAYS.every(({ parts }) =>
    parts.some((part) => part.argument === argument && part.property === property),
  );

const table = (title, parts) => `**With ${title}:

| part | property | argument in HCL | variable |
|---|---|---|---|
${parts.map(row).join("\n")}
`;
const ofWay = ({ text, types, parts }) =>
  table(
    `${text}** (${code(types)})`,
    parts.filter((part) => !isCommon(part)),
  );
const tables = () =>
  [`${table("each way**", WAYS[0].parts.filter(isCommon))}${PROJECTS}\n`, ...WAYS.map(ofWay)].join(
    "\n",
  );

const [BEGIN, END] = ["<!-- Made from lib/tokens/ways.ts by `npm run docs`. -->\n", "<!-- The end"];
/** The page with the tables in their place. */
export function waysPage(before) {
  const [start, end] = [before.indexOf(BEGIN) + BEGIN.length, before.indexOf(END)];
  if (start < BEGIN.length || end < start)
    throw new Error("docs/signing-in.md has no place for it");
  return `${before.slice(0, start)}\n${tables()}\n${before.slice(end)}`;
}
