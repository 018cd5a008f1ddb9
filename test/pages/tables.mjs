// Tables in Markdown, and the pages of docs/api that are little else: errors.md, product-areas.md and
// ways.md.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { tsImport } from "tsx/esm/api";

export const lib = resolve(import.meta.dirname, "../../lib");

/** A module of lib, by its path. */
export const from = (path) => tsImport(resolve(lib, path), import.meta.url);

/** The text of a file of lib. */
export const sourceOf = (path) => readFileSync(resolve(lib, path), "utf8");

export const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");

export const code = (...words) => words.map((word) => `\`${cell(word)}\``).join(", ");

const line = (cells) => `| ${cells.join(" | ")} |`;

export const table = (head, rows) =>
  [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");

/** A page of lines. */
export const page = (...lines) => `${lines.join("\n").trimEnd()}\n`;

const { ERROR_CODES } = await from("tokens/error-codes.ts");
const { WARNINGS } = await from("constructs/warnings.ts");

/** The titles of the list: a comment over the first code of each. */
const TITLES = Object.fromEntries(
  [...sourceOf("tokens/error-codes.ts").matchAll(/^ {2}\/\/ (.+?)\.?\n {2}(ERR_\w+):/gm)].map(
    ([, title, name]) => [name, ["", `## ${title}`, "", table(["code", "when", "next step"], [])]],
  ),
);

export const errorPage = () =>
  page(
    "# Error codes",
    "",
    "<!-- Made from lib/tokens/error-codes.ts and lib/constructs/warnings.ts by `npm run docs`. -->",
    "",
    "Every error has one of these stable codes: in brackets at the end of its headline, and as `code` of what is thrown.",
    "Below it are the block in Terraform, the construct's path (here `first/identity`), and the next step:",
    "",
    "```text",
    "Error: The environment variable SERVICE_USER_PASSWORD (serviceUser.password of first/identity) is not set [ERR_SECRET_MISSING]",
    "",
    "  with ephemeral.iam_token.web,",
    "Set the variable, then run again.",
    "```",
    ...Object.entries(ERROR_CODES).flatMap(([name, cells]) => [
      ...(TITLES[name] ?? []),
      line([code(name), ...cells.map(cell)]),
    ]),
    "",
    "## Warnings of a synthesis",
    "",
    "`cdktf synth` prints them.",
    "",
    ...Object.entries(WARNINGS).map(([name, meaning]) => `- \`${name}\`: ${meaning}`),
  );

const { mayManage, PRODUCT_AREAS } = await from("tokens/product-area.ts");
const { TOKEN_KINDS } = await from("tokens/token-kind.ts");

const areaRow = (area) => [
  code(area.toUpperCase()),
  ...TOKEN_KINDS.map((kind) => mayManage(kind, area)),
];

export const areasPage = () => `# What each kind of token may manage

<!-- Made from lib/tokens/product-area.ts by \`npm run docs\`. -->

\`token.assertMayManage(area)\` refuses a **no** at synthesis, and warns of an **unknown**.

${table([code("ProductArea"), ...TOKEN_KINDS.map((kind) => code(kind))], Object.keys(PRODUCT_AREAS).map(areaRow))}

- **yes**: the service's description says so.
- **no**: the service lists the area for the other IAM token only, or excludes it (OpenStack API objects, for the static token).
- **unknown**: the service lists the area for no IAM token, or does not say whether it is included.

An API that accepts neither kind of IAM token needs a static token.
`;

const { argumentsOf, PROJECT, variableOfKey, WAYS } = await from("tokens/ways.ts");

const partRow = (part) => [
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
  `**With ${title}:\n\n${table(["part", "property", "argument in HCL", "variable"], [...parts.map(partRow), ...more])}\n`;
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
