// docs/errors.md, from the codes of errors and warnings.

import { readFileSync } from "node:fs";
import { tsImport } from "tsx/esm/api";

const { ERROR_CODES } = await tsImport("../../lib/tokens/error-codes.ts", import.meta.url);
const { WARNINGS } = await tsImport("../../lib/constructs/warnings.ts", import.meta.url);
const codes = Object.entries(ERROR_CODES);

const WARNINGS_TITLE = "Warnings of a synthesis";

/** The parts of the list, by the comments that stand over them in the code. */
function sections() {
  const source = readFileSync(new URL("../../lib/tokens/error-codes.ts", import.meta.url), "utf8");
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

const row = (code, meaning) =>
  `| \`${code}\` | ${meaning.map((text) => String(text).replaceAll("|", "\\|")).join(" | ")} |`;

export function errorPage() {
  return [
    "# Error codes",
    "",
    "<!-- Made from lib/tokens/error-codes.ts and lib/constructs/warnings.ts by `npm run docs`. -->",
    "",
    "Every error has one of these stable codes: in brackets at the end of its message, and as `code` of what is thrown.",
    "",
    ...sections().flatMap((section) => [
      `## ${section.title}`,
      "",
      "| code | when | next step |",
      "|---|---|---|",
      ...section.codes.map((code) => row(code, ERROR_CODES[code])),
      "",
    ]),
    `## ${WARNINGS_TITLE}`,
    "",
    "Silence a warning by the code at its end, for the app, a stack or a construct:",
    "",
    "```ts",
    'TokenWarnings.of(stack).acknowledge("WARN_REMOTE_RUNS");',
    "```",
    "",
    ...Object.entries(WARNINGS).map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}
