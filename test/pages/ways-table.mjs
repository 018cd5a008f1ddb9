// docs/api/ways.md: what gives each part of a way of signing in.

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

export const waysPage = () => `# All parts of each way of signing in

<!-- Made from lib/tokens/ways.ts by \`npm run docs\`. -->

All parts come from [one source](../credentials.md). Give one argument for a secret.
An [id](../using-tokens.md#projects-users-and-accounts-by-id), and a name with a domain of its own, need no account.
A key of clouds.yaml is the variable in lower case without \`OS_\`, with \`_\` or \`-\`.
If several variables give one part, the first one listed counts. An id counts before a name.

${tables()}`;
