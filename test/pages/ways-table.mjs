// docs/signing-in.md, with the tables of the code.

import { code, from, table } from "./markdown.mjs";

const { argumentsOf, PROJECT, variableOfKey, WAYS } = await from("tokens/ways.ts");

const rowOf = (part) => [
  `${part.name}${part.optional?.(() => false) ? " (optional)" : ""}`,
  part.property === null ? "" : code(part.property),
  code(...argumentsOf(part)),
  code(...part.keys.map(variableOfKey)),
];

const PROJECTS = [
  ["the token's project", "TokenScope.project", "project_name", PROJECT.name],
  ["its id", "TokenScope.projectById", "project_id", PROJECT.id],
].map(([name, property, argument, { keys }]) => [
  name,
  code(property),
  `of the token: ${code(argument)}`,
  code(...keys.map(variableOfKey)),
]);

/** Whether every way has a part in the same words. */
const isCommon = ({ argument, property }) =>
  WAYS.every(({ parts }) =>
    parts.some((part) => part.argument === argument && part.property === property),
  );

const tableOf = (title, parts, more = []) =>
  `**With ${title}:\n\n${table(["part", "property", "argument in HCL", "variable"], [...parts.map(rowOf), ...more])}\n`;
const tables = () =>
  [
    tableOf("each way**", WAYS[0].parts.filter(isCommon), PROJECTS),
    ...WAYS.map(({ text, types, parts }) =>
      tableOf(
        `${text}** (${code(...types)})`,
        parts.filter((part) => !isCommon(part)),
      ),
    ),
  ].join("\n");

const [BEGIN, END] = ["<!-- Made from lib/tokens/ways.ts by `npm run docs`. -->\n", "<!-- The end"];
/** The page with the tables in their place. */
export function waysPage(before) {
  const [start, end] = [before.indexOf(BEGIN) + BEGIN.length, before.indexOf(END)];
  if (start < BEGIN.length || end < start)
    throw new Error("docs/signing-in.md has no place for it");
  return `${before.slice(0, start)}\n${tables()}\n${before.slice(end)}`;
}
